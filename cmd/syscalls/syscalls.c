/*
 * sprof syscalls: how often a program makes which system call, how long each takes, and how often
 * it fails. Every call is seen.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/floor/floor.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "base/syscall-name.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/syscalls/profile.h"
#include "cmd/syscalls/state.h"
#include "cmd/ui.h"
#include "events/syscalls/filter.h"

_Static_assert(offsetof(struct syscalls_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct syscalls_options, name)

enum { NAME_SIZE = 64 };

static const struct syscalls_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.shown = SPROF_REPORT_OPTIONS_DEFAULTS,
	.beside.rate_hz = SPROF_WITH_SAMPLES_RATE_HZ,
};

static const struct sprof_option option_table[] = {
	{"event", "e", "LIST",
		"only these calls: names and classes, separated by commas, such as\n"
		"read,write,%file, or all others: '!futex,poll'; may be given\n"
		"several times; the other calls of a\n"
		"program that sprof starts then run at nearly full speed, unless\n"
		"--duration or --no-children is given (all)",
		sprof_call_lists_add, FIELD(choice)},
	{"source", NULL, "SOURCE",
		"how to see the calls. kernel: by its tracepoints, without stops, as\n"
		"root; ptrace: by stops; auto: kernel if permitted, else ptrace\n"
		"(auto)",
		sprof_value_source, FIELD(source)},
	{"than", NULL, "TIME", "add a column: how many calls took longer than TIME: 10ms, 500us",
		sprof_value_latency, FIELD(threshold_ns)},
	{"per-thread", NULL, NULL, "show separate rows for each thread", sprof_value_flag,
		FIELD(by_thread)},
	{"summary", "c", NULL, NULL, sprof_value_ignored, 0},
	{"perins", NULL, NULL, "show a row for each call of each thread", sprof_value_flag,
		FIELD(by_thread)},
	{"stack", NULL, NULL,
		"show from where calls are made: the stacks of the calls that take\n"
		"longer than --than, or of all calls; each call then stops its\n"
		"thread, even for root",
		sprof_value_flag, FIELD(stacks)},
	{"interval", "i", "TIME",
		"after each TIME, such as 1s, print a table of the calls since the\n"
		"previous table",
		sprof_value_interval, FIELD(interval_ns)},
	{"heatmap", NULL, "FILE",
		"for each system call CALL, write the time and latency (ns) of each\n"
		"call to FILE-CALL.lat, and a heat map to FILE-CALL.svg; FILE.html\n"
		"shows all heat maps",
		sprof_value_text, FIELD(heatmap)},
	{"json", NULL, NULL, "write one line of JSON instead of each table", sprof_value_flag,
		FIELD(json), .conflicts = "format", .unless = "output"},
	{0},
};

static const struct sprof_option_group groups[] = {
	SPROF_EVENT_RUN_GROUPS("What to trace", FIELD(watching)),
	{"What to trace", sprof_processes_all_table, FIELD(watching)},
	{"What to trace", option_table},
	{"What to trace", sprof_with_samples_table, FIELD(beside)},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", sprof_call_profile_weight_table, FIELD(shown)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

static bool is_chosen(const struct syscalls *syscalls, const struct sprof_call *call)
{
	return !syscalls->choice.count ||
		(sprof_call_is_native(call) &&
			sprof_call_choice_has(&syscalls->choice, call->number));
}

/* Calls of another architecture have other files: a name may be in both. */
static void name_call(const struct sprof_call *call, char name[NAME_SIZE])
{
	size_t length;

	sprof_syscall_name_on(call->arch, call->number, name, NAME_SIZE);
	length = strlen(name);
	if (!sprof_call_is_native(call))
		snprintf(name + length, NAME_SIZE - length, "@%x", call->arch);
}

/* The name of a call takes a while, so it is only looked up for the first one. */
static void draw(struct syscalls *syscalls, const struct sprof_call *call)
{
	struct sprof_heatmap_point point = {
		.id = (uint64_t)call->arch << 32 | (uint32_t)call->number,
		.time_ns = call->end_ns,
		.latency_ns = sprof_minus(call->end_ns, call->begin_ns),
	};
	char name[NAME_SIZE];

	if (!syscalls->heatmap.name || !sprof_call_is_whole(call))
		return;
	if (!sprof_heatmap_has(&syscalls->heatmap, point.id)) {
		name_call(call, name);
		point.begin = name;
	}
	sprof_heatmap_write(&syscalls->heatmap, &point);
}

static bool count(void *data, const struct sprof_call *call)
{
	struct syscalls *syscalls = data;

	if (!is_chosen(syscalls, call))
		return true;
	syscalls->counted++;
	draw(syscalls, call);
	return sprof_call_table_add(&syscalls->interval, call);
}

static bool wants_stack(void *data, const struct sprof_call *call)
{
	const struct syscalls *syscalls = data;

	return call->end_ns > call->begin_ns + syscalls->options->threshold_ns &&
		is_chosen(syscalls, call);
}

static uint64_t due_ns(const void *data)
{
	const struct syscalls *syscalls = data;

	return syscalls->next_ns < syscalls->so_far.next_ns ? syscalls->next_ns
							    : syscalls->so_far.next_ns;
}

/* Reports a failed write once and continues: the total at the end matters most. */
static void print_interval(struct syscalls *syscalls, uint64_t now_ns)
{
	struct sprof_call_report what = {
		.begin_ns = syscalls->interval_begin_ns,
		.end_ns = now_ns,
	};
	struct sprof_error err = {0};

	if (sprof_syscalls_report(syscalls, &syscalls->interval, &what, NULL, &err))
		return;
	sprof_ui_error(&err);
	syscalls->prints = false;
	syscalls->is_cut_off = true;
}

static bool end_interval(struct syscalls *syscalls, uint64_t now_ns)
{
	if (syscalls->prints)
		print_interval(syscalls, now_ns);
	if (!sprof_call_table_merge(&syscalls->total, &syscalls->interval))
		return false;
	sprof_call_table_reset(&syscalls->interval);
	syscalls->interval_begin_ns = now_ns;
	syscalls->next_ns = now_ns + syscalls->options->interval_ns;
	return true;
}

static bool poll_time(void *data, uint64_t now_ns)
{
	struct syscalls *syscalls = data;

	if (sprof_pace_is_due(&syscalls->so_far, now_ns))
		sprof_pace_note(&syscalls->so_far, syscalls->counted, syscalls->calls, now_ns);
	return now_ns < syscalls->next_ns || end_interval(syscalls, now_ns);
}

static void end(void *data, uint64_t now_ns)
{
	struct syscalls *syscalls = data;

	syscalls->end_ns = now_ns;
}

static void begin(void *data, struct sprof_target *target)
{
	struct syscalls *syscalls = data;

	syscalls->begin_ns = syscalls->interval_begin_ns = sprof_clock_now_ns();
	syscalls->next_ns = syscalls->options->interval_ns
		? syscalls->begin_ns + syscalls->options->interval_ns
		: UINT64_MAX;
	sprof_pace_begin(&syscalls->so_far,
		isatty(STDERR_FILENO) && !syscalls->options->interval_ns, syscalls->begin_ns);
}

/* Tracepoints, if requested, or if permitted and sufficient for the request. */
static bool choose_source(struct syscalls *syscalls, struct sprof_error *err)
{
	const struct syscalls_options *options = syscalls->options;
	const struct sprof_recorded_options wanted = {
		.wants = {.types = sprof_recorded_calls(),
			.calls = syscalls->choice.numbers,
			.call_count = syscalls->choice.count},
		.follow_children = syscalls->watching.subject.follow_children,
		.listener = {.data = syscalls, .call = count},
	};
	enum sprof_trace_type denied;
	struct sprof_perf_denial denial;

	if (options->stacks && options->source == SPROF_SOURCE_ANY)
		sprof_ui_progress("--stack uses ptrace: each call stops its thread twice, so the "
				  "program runs slower");
	if (options->source == SPROF_SOURCE_PTRACE || options->stacks)
		return true;
	return sprof_recorded_events_create(&wanted, &syscalls->recorded, &denied, &denial) ||
		options->source == SPROF_SOURCE_ANY ||
		sprof_perf_denied(&denial, "tracepoints", err);
}

static bool create_calls(struct syscalls *syscalls, struct sprof_error *err)
{
	const struct syscalls_options *options = syscalls->options;
	const struct sprof_calls_listener listener = {.data = syscalls,
		.call = count,
		.wants_stack = options->stacks ? wants_stack : NULL};
	struct sprof_calls_options how = {
		.filter_value = SPROF_CALL_FILTER_VALUE, .slow_ns = options->threshold_ns};

	if (!sprof_event_run_calls(
		    &syscalls->watching, syscalls->choice.numbers, syscalls->choice.count, err))
		return false;
	how.is_selected = syscalls->watching.subject.calls == SPROF_CALLS_SELECTED;
	syscalls->floor_ns = sprof_call_floor_ns();
	syscalls->calls = sprof_calls_create(&how, &listener);
	return syscalls->calls || sprof_error_no_memory(err);
}

static bool trace(struct syscalls *syscalls, int *ret_exit, struct sprof_error *err)
{
	struct sprof_event_source source,
		ticker = {.data = syscalls,
			.begin = begin,
			.due_ns = due_ns,
			.poll = poll_time,
			.end = end};
	const struct sprof_event_source *const sources[] = {&ticker, &source, NULL};

	if (!choose_source(syscalls, err) || (!syscalls->recorded && !create_calls(syscalls, err)))
		return false;
	source = syscalls->recorded ? sprof_recorded_events_source(syscalls->recorded)
				    : sprof_calls_source(syscalls->calls);
	syscalls->watching.tracing.events = sources;
	return sprof_event_run_run(&syscalls->watching, ret_exit, err);
}

/* The answer that the samples give, below the table. */
static bool print_answer(struct syscalls *syscalls, int *ret_exit, struct sprof_error *err)
{
	if (!syscalls->answer.outputs.count || !syscalls->prints)
		return true;
	puts("");
	fflush(stdout);
	return sprof_report_options_write_all(
		&syscalls->answer, syscalls->watching.profile, ret_exit, err);
}

static bool write_files(struct syscalls *syscalls, int *ret_exit, struct sprof_error *err)
{
	if (!syscalls->shown.outputs.count)
		return true;
	if (!sprof_call_profile_add(syscalls->watching.profile, &syscalls->total))
		return sprof_error_no_memory(err);
	return sprof_report_options_write_all(
		&syscalls->shown, syscalls->watching.profile, ret_exit, err);
}

static bool finish_run(struct syscalls *syscalls, int *ret_exit, struct sprof_error *err)
{
	if (!sprof_call_table_merge(&syscalls->total, &syscalls->interval))
		return sprof_error_no_memory(err);
	return sprof_event_run_name(&syscalls->watching, &syscalls->options->naming, err) &&
		sprof_syscalls_report_total(syscalls, err) &&
		print_answer(syscalls, ret_exit, err) && write_files(syscalls, ret_exit, err) &&
		sprof_heatmap_close(&syscalls->heatmap, err);
}

/* The weight must be one of the profile's, which is created before the run. */
static bool settle_weight(const struct syscalls *syscalls, struct sprof_error *err)
{
	struct sprof_profile *profile = syscalls->watching.profile;

	if (!syscalls->shown.outputs.count)
		return true;
	sprof_call_profile_begin(profile);
	return sprof_report_options_settle_weight(&syscalls->shown, profile, err);
}

/* Samples that no file gets are answered at once. */
static bool settle_answer(struct syscalls *syscalls, struct sprof_error *err)
{
	return !syscalls->options->beside.sample || syscalls->options->json ||
		sprof_with_samples_settle(&syscalls->shown, &syscalls->answer, err);
}

/* Text is the table, unless only the profile can answer. */
static void choose_tables(struct syscalls *syscalls)
{
	struct sprof_outputs *outputs = &syscalls->shown.outputs, *tables = &syscalls->tables;
	const size_t count = outputs->count;

	if (syscalls->options->shown.weight || syscalls->options->beside.sample)
		return;
	outputs->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct sprof_outputs *list =
			outputs->items[i].format == &sprof_format_text ? tables : outputs;

		list->items[list->count++] = outputs->items[i];
	}
}

/* Otherwise there is only the table. */
static bool asks_for_profile(const struct sprof_report_options *shown)
{
	return shown->outputs.count || shown->outputs.fallback;
}

static bool settle_outputs(struct syscalls *syscalls, struct sprof_error *err)
{
	struct sprof_outputs *outputs = &syscalls->shown.outputs;
	const struct sprof_report_options *shown = &syscalls->options->shown;
	const bool asks = asks_for_profile(shown);

	syscalls->shown = *shown;
	syscalls->shown.output.short_names = syscalls->options->naming.short_names;
	if (!asks && shown->weight && !syscalls->options->beside.sample)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--weight needs --output, --format or --sample: the table has none");
	syscalls->prints = syscalls->options->json || !asks || isatty(STDOUT_FILENO);
	if (!asks)
		return settle_answer(syscalls, err);
	if (!sprof_outputs_settle(outputs, SPROF_STDOUT_REPORT, err))
		return false;
	choose_tables(syscalls);
	syscalls->prints &= !sprof_outputs_use_stdout(outputs);
	syscalls->prints |= sprof_outputs_use_stdout(&syscalls->tables);
	return true;
}

/* Prepares a run from the options. */
static bool begin_run(struct syscalls *syscalls, char *const operands[], struct sprof_error *err)
{
	const struct syscalls_options *options = syscalls->options;
	struct sprof_event_run *watching = &syscalls->watching;

	if (!sprof_event_run_init(watching, &options->watching, operands, err))
		return false;
	watching->subject.stdout_to_stderr = operands[0] &&
		(syscalls->prints || sprof_outputs_use_stdout(&syscalls->shown.outputs));
	if (options->beside.sample)
		sprof_event_run_sample(watching, options->beside.rate_hz);
	return settle_weight(syscalls, err);
}

static void finish(struct syscalls *syscalls)
{
	struct sprof_error ignored;

	/* Only after a failed run; otherwise it is already closed. */
	(void)!sprof_heatmap_close(&syscalls->heatmap, &ignored);
	sprof_calls_destroy(syscalls->calls);
	sprof_recorded_events_destroy(syscalls->recorded);
	sprof_call_table_finish(&syscalls->interval);
	sprof_call_table_finish(&syscalls->total);
	sprof_call_choice_finish(&syscalls->choice);
	sprof_event_run_finish(&syscalls->watching);
}

static bool check_stacks(const struct syscalls_options *options, struct sprof_error *err)
{
	return !options->stacks || options->source != SPROF_SOURCE_PERF ||
		sprof_error_set(
			err, SPROF_ERROR_USAGE, "--stack needs ptrace: tracepoints have no stacks");
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct syscalls_options *options = data;
	struct syscalls syscalls = {.options = options, .heatmap.name = options->heatmap};
	bool done;

	/* The profile has threads, too. */
	syscalls.interval.by_thread = syscalls.total.by_thread =
		options->by_thread || asks_for_profile(&options->shown);
	syscalls.interval.by_stack = syscalls.total.by_stack = options->stacks;
	syscalls.interval.threshold_ns = syscalls.total.threshold_ns = options->threshold_ns;
	done = sprof_event_run_check("syscalls", &options->watching, operands, err) &&
		check_stacks(options, err) &&
		sprof_call_choice_read(&options->choice, &syscalls.choice, err) &&
		settle_outputs(&syscalls, err) && begin_run(&syscalls, operands, err) &&
		trace(&syscalls, ret_exit, err) && finish_run(&syscalls, ret_exit, err);
	if (done && syscalls.is_cut_off)
		*ret_exit =
			asks_for_profile(&options->shown) ? SPROF_EXIT_PARTIAL : SPROF_EXIT_FAILED;
	finish(&syscalls);
	return done;
}

const struct sprof_command sprof_command_syscalls = {
	.name = "syscalls",
	.summary = "Measure every system call: count, latency, errors",
	.synopsis = "[options] (-p PID[,PID]... | [--] PROGRAM [ARGUMENT...])",
	.details =
		"For root, the kernel's tracepoints record each call without stops. For other "
		"users, and with\n"
		"--stack, every call stops its thread twice, which takes some microseconds; the "
		"head of the table\n"
		"gives the shortest latency that can be measured. In this case, --event (without "
		"--duration and\n"
		"--no-children) puts a filter into the kernel, with which all other calls of a program "
		"that sprof\n"
		"starts run at nearly full speed. The kernel never removes such a filter, so the kernel "
		"kills the\n"
		"program if sprof ends first. sprof exits with the exit code of PROGRAM.\n\n"
		"  sprof syscalls -- git status\n"
		"  sprof syscalls -e %file -o files.pb.gz -- make\n"
		"  sprof syscalls --stack --than 10ms -- ./app\n",
	.groups = groups,
	.hidden = "perins rate " SPROF_NAMING_HIDDEN,
	.processes = FIELD(watching),
	.processes_use = SPROF_PROCESSES_MANY | SPROF_PROCESSES_THREADS,
	.defaults = &defaults,
	.options_size = sizeof(struct syscalls_options),
	.run = run,
};
