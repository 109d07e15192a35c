/*
 * sprof syscalls: how often a program makes which system call, how long each takes, and how often
 * it fails. Every call is seen; nothing is sampled.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/floor/floor.h"
#include "base/clock.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/cli/terminal.h"
#include "cmd/record/event-run.h"
#include "cmd/record/with-samples.h"
#include "cmd/saved/report-options.h"
#include "cmd/syscalls/choice.h"
#include "cmd/syscalls/pace.h"
#include "cmd/syscalls/profile.h"
#include "cmd/ui.h"
#include "events/recorded/events.h"
#include "events/syscalls/filter.h"
#include "output/syscalls/report.h"

/* calls per second from which their stops dominate the time */
enum { MANY_PER_S = 2000 };

struct syscalls_options {
	struct sprof_common_options common;
	struct sprof_event_run_options watching;
	struct sprof_naming naming;
	struct sprof_report_options shown;
	struct sprof_call_lists choice; /* none: all */
	uint64_t interval_ns, threshold_ns;
	enum sprof_source_request source;
	bool by_thread, json, stacks;
	struct sprof_with_samples_options beside;
};

_Static_assert(offsetof(struct syscalls_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct syscalls_options, name)

static const struct syscalls_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.shown = SPROF_REPORT_OPTIONS_DEFAULTS,
	.beside.rate_hz = SPROF_WITH_SAMPLES_RATE_HZ,
};

static const struct sprof_option option_table[] = {
	{"event", "e", "LIST",
		"only these calls: names and classes, separated by commas, such as\n"
		"read,write,%file; may be given several times; other calls of a\n"
		"program that sprof starts then run at nearly full speed (all)",
		sprof_call_lists_add, FIELD(choice)},
	{"source", NULL, "SOURCE",
		"auto (the best permitted source), kernel (its tracepoints: root,\n"
		"no stops), ptrace (auto)",
		sprof_value_source, FIELD(source)},
	{"than", NULL, "TIME", "count the calls that take longer than this: 10ms, 500us",
		sprof_value_latency, FIELD(threshold_ns)},
	{"per-thread", NULL, NULL, "show a row for each call of each thread", sprof_value_flag,
		FIELD(by_thread)},
	{"summary", "c", NULL, NULL, sprof_value_ignored, 0},
	{"perins", NULL, NULL, "show a row for each call of each thread", sprof_value_flag,
		FIELD(by_thread)},
	{"stack", NULL, NULL,
		"show where calls come from: the stacks of those that take longer\n"
		"than --than, or of all; each call then stops its thread, for root\n"
		"too",
		sprof_value_flag, FIELD(stacks)},
	{"interval", "i", "TIME",
		"print a table every TIME, such as 1s, of the calls since the last\n"
		"one",
		sprof_value_interval, FIELD(interval_ns)},
	{"json", NULL, NULL, "write one line of JSON instead of each table", sprof_value_flag,
		FIELD(json)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to trace", sprof_event_run_table, FIELD(watching)},
	{"What to trace", option_table},
	{"What to trace", sprof_with_samples_table, FIELD(beside)},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", sprof_call_profile_weight_table, FIELD(shown)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

struct syscalls {
	const struct syscalls_options *options;
	struct sprof_report_options shown;
	struct sprof_report_options answer; /* of the samples; without outputs: none */
	struct sprof_call_choice choice;
	struct sprof_event_run watching;
	struct sprof_calls *calls;               /* by ptrace, or */
	struct sprof_recorded_events *recorded;  /* without stops, by tracepoints */
	struct sprof_call_table interval, total; /* of threads, and of stacks */
	uint64_t floor_ns, begin_ns, end_ns, interval_begin_ns, next_ns;
	struct sprof_pace so_far;
	uint64_t counted;
	bool prints;     /* stdout gets the tables */
	bool is_cut_off; /* it took no more of them, and an error message says so */
};

static bool is_chosen(const struct syscalls *syscalls, const struct sprof_call *call)
{
	return !syscalls->choice.count ||
		(sprof_call_is_native(call) &&
			sprof_call_choice_has(&syscalls->choice, call->number));
}

static bool count(void *data, const struct sprof_call *call)
{
	struct syscalls *syscalls = data;

	if (!is_chosen(syscalls, call))
		return true;
	syscalls->counted++;
	return sprof_call_table_add(&syscalls->interval, call);
}

static bool wants_stack(void *data, const struct sprof_call *call)
{
	const struct syscalls *syscalls = data;

	return call->end_ns > call->begin_ns + syscalls->options->threshold_ns &&
		is_chosen(syscalls, call);
}

static bool write_report(const struct syscalls *syscalls, const struct sprof_call_report *report,
	struct sprof_error *err)
{
	struct sprof_out *out;
	bool ok;

	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, err))
		return false;
	ok = syscalls->options->json ? sprof_call_report_json(report, out)
				     : sprof_call_report_text(report, out);
	return (sprof_out_close(out, err) && ok) || (!ok && sprof_error_no_memory(err));
}

static void describe_source(const struct syscalls *syscalls, struct sprof_call_report *ret)
{
	if (syscalls->recorded) {
		ret->source = SPROF_SOURCE_PERF;
		ret->losses = sprof_recorded_events_gaps(syscalls->recorded);
		ret->gaps.ended_unseen = ret->losses.ended_unseen;
		return;
	}
	ret->source = SPROF_SOURCE_PTRACE;
	ret->gaps = sprof_calls_gaps(syscalls->calls);
	ret->floor_ns = syscalls->floor_ns;
	ret->is_filtered = syscalls->watching.subject.calls == SPROF_CALLS_SELECTED;
}

/* The figures of all threads together, or of each. */
static bool report(const struct syscalls *syscalls, const struct sprof_call_table *threads,
	struct sprof_call_report *what, struct sprof_error *err)
{
	const struct syscalls_options *options = syscalls->options;
	struct sprof_call_table table = {
		.by_thread = options->by_thread, .threshold_ns = options->threshold_ns};
	struct sprof_call_table stacks = {.by_stack = true, .threshold_ns = options->threshold_ns};
	bool ok = sprof_call_table_merge(&table, threads) &&
		(!what->is_last || !options->stacks || sprof_call_table_merge(&stacks, threads));

	if (ok) {
		sprof_call_table_sort(&table);
		sprof_call_table_sort(&stacks);
		what->profile = syscalls->watching.profile;
		what->table = &table;
		what->stacks = what->is_last && options->stacks ? &stacks : NULL;
		what->short_names = options->naming.short_names;
		what->by_thread = options->by_thread;
		describe_source(syscalls, what);
		what->is_selected = syscalls->choice.count > 0;
		what->width = sprof_terminal_width();
		ok = write_report(syscalls, what, err);
	} else {
		sprof_error_no_memory(err);
	}
	sprof_call_table_finish(&table);
	sprof_call_table_finish(&stacks);
	return ok;
}

static uint64_t due_ns(const void *data)
{
	const struct syscalls *syscalls = data;

	return syscalls->next_ns < syscalls->so_far.next_ns ? syscalls->next_ns
							    : syscalls->so_far.next_ns;
}

/* A program of many short calls takes many times longer than alone, and prints nothing meanwhile. */
static void note_so_far(const struct syscalls *syscalls, uint64_t now_ns)
{
	const double seconds = (double)(now_ns - syscalls->begin_ns) / SPROF_NS_PER_S;

	if (syscalls->so_far.said > 1)
		sprof_ui_progress("%" PRIu64 " calls in %.0f s", syscalls->counted, seconds);
	else if (syscalls->recorded || (double)syscalls->counted < MANY_PER_S * seconds)
		sprof_ui_progress("%" PRIu64 " calls in %.0f s; Ctrl-C ends it, and shows them",
			syscalls->counted, seconds);
	else
		sprof_ui_progress("%" PRIu64 " calls in %.0f s, and each stops the program twice; "
				  "Ctrl-C ends it, and shows them; -d TIME or -e LIST bound it",
			syscalls->counted, seconds);
}

/* Reports a failed write once and continues: the total at the end matters most. */
static void print_interval(struct syscalls *syscalls, uint64_t now_ns)
{
	struct sprof_call_report what = {
		.begin_ns = syscalls->interval_begin_ns,
		.end_ns = now_ns,
	};
	struct sprof_error err = {0};

	if (report(syscalls, &syscalls->interval, &what, &err))
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
		note_so_far(syscalls, now_ns);
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
		sprof_ui_progress("--stack takes ptrace: each call stops the program twice, so it "
				  "runs slower than without");
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

static bool print_total(struct syscalls *syscalls, struct sprof_error *err)
{
	struct sprof_call_report what = {
		.begin_ns = syscalls->begin_ns,
		.end_ns = syscalls->end_ns,
		.is_last = true,
	};

	if (!syscalls->prints)
		return true;
	if (syscalls->options->interval_ns && !syscalls->options->json)
		puts("\nthe whole run:");
	fflush(stdout);
	return report(syscalls, &syscalls->total, &what, err);
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
		print_total(syscalls, err) && print_answer(syscalls, ret_exit, err) &&
		write_files(syscalls, ret_exit, err);
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
	syscalls->shown.short_names = syscalls->options->naming.short_names;
	if (!asks && shown->weight && !syscalls->options->beside.sample)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--weight needs --output, --format or --sample: the table has none");
	syscalls->prints = !asks || isatty(STDOUT_FILENO);
	if (!asks)
		return settle_answer(syscalls, err);
	if (!sprof_outputs_settle(outputs, SPROF_STDOUT_REPORT, err))
		return false;
	syscalls->prints &= !sprof_outputs_use_stdout(outputs);
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
	struct syscalls syscalls = {.options = options};
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
		*ret_exit = syscalls.shown.outputs.count ? SPROF_EXIT_PARTIAL : SPROF_EXIT_FAILED;
	finish(&syscalls);
	return done;
}

const struct sprof_command sprof_command_syscalls = {
	.name = "syscalls",
	.summary = "Measure every system call: count, latency, errors",
	.synopsis = "[options] (-p PID | [--] PROGRAM [ARGUMENT...])",
	.details =
		"For root, the kernel's tracepoints record each call without stops. For other "
		"users, and with\n"
		"--stack, every call stops its thread twice, which takes some microseconds; the "
		"head of the table\n"
		"gives the shortest latency that can be measured. With --event, a filter in the "
		"kernel then lets\n"
		"all other calls of a program that sprof starts run at nearly full speed. The "
		"kernel never removes\n"
		"such a filter, so the program is killed if sprof ends before it. sprof exits with "
		"the exit code of\nPROGRAM.\n\n"
		"  sprof syscalls -- git status\n"
		"  sprof syscalls -e %file -o files.pb.gz -- make\n"
		"  sprof syscalls --stack --than 10ms -- ./app\n",
	.groups = groups,
	.hidden = "perins rate " SPROF_NAMING_HIDDEN,
	.defaults = &defaults,
	.options_size = sizeof(struct syscalls_options),
	.run = run,
};
