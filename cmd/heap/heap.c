/*
 * sprof heap: which stacks make a program's memory grow, by page faults or, if the kernel does not
 * permit those, by system calls that map memory. exact.c traces allocators.
 */
#include <inttypes.h>
#include <unistd.h>

#include "cmd/cli/commands.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/heap/exact.h"
#include "cmd/heap/growth.h"
#include "cmd/heap/rate.h"
#include "cmd/record/event-run.h"
#include "cmd/saved/report-options.h"
#include "cmd/ui.h"
#include "events/recorded/events.h"
#include "events/syscalls/filter.h"
#include "output/units.h"

struct heap_options {
	struct sprof_common_options common;
	struct sprof_event_run_options watching;
	struct sprof_naming naming;
	struct sprof_report_options shown;
	enum sprof_source_request source;
	size_t period;
	bool growth, exact, rate;
	bool breakpoints; /* has no effect: --exact always uses them */
	double overhead;
	struct sprof_heap_exact_options exactly;
};

_Static_assert(offsetof(struct heap_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct heap_options, name)

enum {
	PERIOD = 64,
	FEW_FAULTS = 20, /* are too few for shares */
};

static const struct heap_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.shown = SPROF_REPORT_OPTIONS_DEFAULTS,
	.period = PERIOD,
	.overhead = 0.05,
};

static const struct sprof_option option_table[] = {
	{"growth", NULL, NULL, "show which code makes the resident memory grow (the default)",
		sprof_value_flag, FIELD(growth), .conflicts = "exact rate"},
	{"exact", NULL, NULL,
		"watch each call of an allocator: which code allocates, holds and\n"
		"leaks",
		sprof_value_flag, FIELD(exact), .conflicts = "rate"},
	{"rate", NULL, NULL,
		"estimate how much each place allocates per second, with\n"
		"breakpoints in short windows, which change the program's code",
		sprof_value_flag, FIELD(rate)},
	{"max-overhead", NULL, "PCT",
		"with --rate: take at most this percentage of the program's time\n"
		"(5)",
		sprof_value_percentage, FIELD(overhead), .needs = "rate"},
	{"overhead", NULL, "PCT", NULL, sprof_value_percentage, FIELD(overhead), .needs = "rate"},
	{"period", NULL, "N", "record every N-th page fault of a thread (64)", sprof_value_count,
		FIELD(period), .conflicts = "exact rate"},
	{"source", NULL, "SOURCE",
		"auto (the best permitted source), kernel (page faults, no stops),\n"
		"ptrace (the system calls that map memory) (auto)",
		sprof_value_source, FIELD(source), .conflicts = "exact rate"},
	{0},
};

static bool set_live(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_heap_exact_options *exactly = field;

	exactly->live = true;
	return !text || sprof_value_duration(&exactly->older_ns, text, err);
}

static const struct sprof_option exact_table[] = {
	{"live", NULL, "[=TIME]",
		"show the memory that is not freed, with its age; only blocks at\n"
		"least TIME old, such as 1s",
		set_live, FIELD(exactly), .needs = "exact"},
	{"older", NULL, "TIME", "with --live: only blocks older than TIME, such as 1s",
		sprof_value_duration, FIELD(exactly.older_ns), .needs = "live"},
	{"sizes", NULL, NULL, "show the sizes of the allocated blocks", sprof_value_flag,
		FIELD(exactly.sizes), .needs = "exact"},
	{"json", NULL, NULL, "write JSON to stdout instead of text", sprof_value_flag,
		FIELD(exactly.json), .needs = "exact", .conflicts = "format", .unless = "output"},
	{"breakpoints", NULL, NULL, NULL, sprof_value_flag, FIELD(breakpoints), .needs = "exact"},
	{0},
};

static const struct sprof_option weight_table[] = {
	{"weight", NULL, "KIND",
		"growth or faults (growth); with --source ptrace: mapped or calls\n"
		"(mapped); --rate and --exact: a wrong name lists the kinds",
		sprof_value_text, offsetof(struct sprof_report_options, weight)},
	{0},
};

static const struct sprof_option_group groups[] = {
	SPROF_EVENT_RUN_GROUPS("What to watch", FIELD(watching)),
	{"What to watch", option_table},
	{"With --exact", exact_table},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", weight_table, FIELD(shown)},
	{"Report", sprof_report_options_brief_table, FIELD(shown)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

struct heap {
	const struct heap_options *options;
	struct sprof_report_options shown;
	struct sprof_event_run watching;
	struct sprof_growth growth;
	struct sprof_recorded_events *recorded; /* of page faults, or */
	struct sprof_calls *calls;              /* by ptrace */
	uint64_t page_size, taken;              /* taken: faults */
};

static bool take_fault(void *data, const struct sprof_trace_event *event)
{
	struct heap *heap = data;
	const uint64_t faults = heap->options->period;

	heap->taken++;
	return sprof_growth_add(&heap->growth, event->thread, (uint32_t)event->stack,
		faults * heap->page_size, faults);
}

static bool take_call(void *data, const struct sprof_call *call)
{
	struct heap *heap = data;

	return sprof_growth_add_call(&heap->growth, call);
}

static bool wants_stack(void *data, const struct sprof_call *call)
{
	size_t count;
	const int64_t *calls = sprof_growth_calls(&count);

	for (size_t i = 0; i < count; i++) {
		if (calls[i] == call->number)
			return true;
	}
	return false;
}

/* Returns false if page faults are not permitted, or out of memory. */
static bool record_faults(struct heap *heap, struct sprof_perf_denial *ret_denial)
{
	const struct sprof_recorded_options wanted = {
		.wants = {.types = 1U << SPROF_TRACE_FAULT,
			.stacks = 1U << SPROF_TRACE_FAULT,
			.fault_period = heap->options->period},
		.follow_children = heap->watching.subject.follow_children,
		.sink = {heap, take_fault},
	};
	enum sprof_trace_type denied;

	return sprof_recorded_events_create(&wanted, &heap->recorded, &denied, ret_denial);
}

static bool trace_calls(struct heap *heap, struct sprof_error *err)
{
	const struct sprof_calls_listener listener = {
		.data = heap, .call = take_call, .wants_stack = wants_stack};
	struct sprof_calls_options how = {
		.filter_value = SPROF_CALL_FILTER_VALUE, .slow_ns = UINT64_MAX};
	const int64_t *numbers;
	size_t count;

	numbers = sprof_growth_calls(&count);
	if (!sprof_event_run_calls(&heap->watching, numbers, count, err))
		return false;
	how.is_selected = heap->watching.subject.calls == SPROF_CALLS_SELECTED;
	heap->calls = sprof_calls_create(&how, &listener);
	return heap->calls || sprof_error_no_memory(err);
}

static bool choose_source(struct heap *heap, struct sprof_error *err)
{
	const enum sprof_source_request request = heap->options->source;
	struct sprof_perf_denial denial;
	struct sprof_error reason;

	if (request == SPROF_SOURCE_PTRACE)
		return trace_calls(heap, err);
	if (record_faults(heap, &denial))
		return true;
	if (request == SPROF_SOURCE_PERF)
		return sprof_perf_denied(&denial, "page faults", err);
	if (!sprof_perf_denied(&denial, "page faults", &reason))
		sprof_ui_note("%s%s%s", reason.message, reason.hint[0] ? "; " : "", reason.hint);
	return trace_calls(heap, err);
}

/* Births let the mappings of short processes be read in time. */
static bool trace(struct heap *heap, int *ret_exit, struct sprof_error *err)
{
	struct sprof_event_source source;
	const struct sprof_event_source *const sources[] = {&source, NULL};

	heap->watching.subject.tasks = heap->recorded;
	source = heap->recorded ? sprof_recorded_events_source(heap->recorded)
				: sprof_calls_source(heap->calls);
	heap->watching.tracing.events = sources;
	return sprof_event_run_run(&heap->watching, ret_exit, err);
}

/* For a small program, shares are unreliable, or there are no faults. */
static void note_few(const struct heap *heap)
{
	const size_t period = heap->options->period;

	if (heap->taken >= FEW_FAULTS || period == 1)
		return;
	if (heap->taken)
		sprof_ui_note("only %" PRIu64
			      " page faults were recorded, one in %zu: --period 1 records all, and "
			      "makes shares exact",
			heap->taken, period);
	else
		sprof_ui_note(
			"no thread has touched %s of new memory: --period 1 records every page "
			"fault, not one in %zu",
			sprof_figure_bytes(period * heap->page_size).text, period);
}

static void note_losses(const struct heap *heap)
{
	struct sprof_recorded_gaps gaps;

	if (!heap->recorded) {
		sprof_ui_note("this is memory that was mapped; it may never be touched");
		return;
	}
	note_few(heap);
	if (heap->watching.tracing.quality.merges[SPROF_MERGE_NOT_READ])
		sprof_ui_note(
			"the kernel copies native stacks only, so Python functions are missing: "
			"--rate and --exact name them, and so does --source ptrace");
	gaps = sprof_recorded_events_gaps(heap->recorded);
	if (gaps.is_of_users_only)
		sprof_ui_note(
			"faults inside system calls, such as read(2) into new memory, are visible "
			"to root only");
	if (gaps.unwatched)
		sprof_ui_note(
			"%u threads could not be watched on a CPU: their faults there are missing",
			gaps.unwatched);
	if (gaps.lost)
		sprof_ui_note(
			"the kernel has lost %" PRIu64 " faults: use a larger --period", gaps.lost);
}

static bool write_all(struct heap *heap, int *ret_exit, struct sprof_error *err)
{
	struct sprof_profile *profile = heap->watching.profile;

	if (!sprof_event_run_name(&heap->watching, &heap->options->naming, err))
		return false;
	if (!sprof_growth_to_profile(&heap->growth, profile))
		return sprof_error_no_memory(err);
	note_losses(heap);
	return sprof_report_options_write_all(&heap->shown, profile, ret_exit, err);
}

static bool begin(struct heap *heap, char *const operands[], struct sprof_error *err)
{
	const struct heap_options *options = heap->options;

	heap->shown = options->shown;
	if (!sprof_event_run_check("heap", &options->watching, operands, err) ||
		!sprof_report_options_settle_answer(&heap->shown, options->common.quiet, err) ||
		!sprof_event_run_init(&heap->watching, &options->watching, operands, err))
		return false;
	heap->watching.subject.stdout_to_stderr =
		operands[0] && sprof_outputs_use_stdout(&heap->shown.outputs);
	if (!choose_source(heap, err))
		return false;
	sprof_growth_begin_profile(heap->watching.profile,
		heap->recorded ? SPROF_GROWTH_TOUCHED : SPROF_GROWTH_MAPPED);
	return sprof_report_options_settle_weight(&heap->shown, heap->watching.profile, err);
}

static bool run_growth(const struct heap_options *options, char *const operands[], int *ret_exit,
	struct sprof_error *err)
{
	struct heap heap = {.options = options, .page_size = (uint64_t)sysconf(_SC_PAGESIZE)};
	const bool done = begin(&heap, operands, err) && trace(&heap, ret_exit, err) &&
		write_all(&heap, ret_exit, err);

	sprof_calls_destroy(heap.calls);
	sprof_recorded_events_destroy(heap.recorded);
	sprof_growth_finish(&heap.growth);
	sprof_event_run_finish(&heap.watching);
	return done;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct heap_options options = *(const struct heap_options *)data;
	const struct sprof_heap_exact_request request = {
		.exact = options.exactly,
		.watching = &options.watching,
		.naming = &options.naming,
		.shown = &options.shown,
	};

	options.shown.output.short_names = options.naming.short_names;
	if (options.rate)
		return sprof_heap_rate_run(
			&(struct sprof_heap_rate_request){options.overhead, &options.watching,
				&options.naming, &options.shown, options.common.quiet},
			operands, ret_exit, err);
	return options.exact ? sprof_heap_exact_run(&request, operands, ret_exit, err)
			     : run_growth(&options, operands, ret_exit, err);
}

const struct sprof_command sprof_command_heap = {
	.name = "heap",
	.summary = "Show which code makes a program's memory grow",
	.synopsis = "[options] (-p PID | [--] PROGRAM [ARGUMENT...])",
	.details =
		"sprof records page faults, which occur when memory is touched for the first time, "
		"with their\n"
		"stacks. It records every N-th one, which counts as N pages; a huge page counts as "
		"one page. No\n"
		"thread is stopped. If perf events are not permitted, it traces the system calls "
		"that map memory\n"
		"and counts the mapped bytes instead. A terminal gets a summary of the places in "
		"the program;\n"
		"sprof report shows the rest. sprof exits with the exit code of PROGRAM.\n\n"
		"  sprof heap -- ./app\n"
		"  sprof heap -p 4711 -d 10s -o growth.svg\n"
		"  sprof heap --period 1 -o growth.pb.gz -- ./app && sprof report growth.pb.gz\n\n"
		"--rate sets breakpoints at the allocators for a few milliseconds now and then. "
		"Between these\n"
		"windows the program runs at its normal speed. Frees are not seen.\n\n"
		"  sprof heap --rate -p 4711 -d 30s\n\n"
		"--exact watches each call of malloc, free and similar functions, and of operator "
		"new, with\n"
		"breakpoints: the program's code is changed while it is watched. The kinds of values "
		"are those of\n"
		"Go's heap profiles:\n"
		"alloc_space, alloc_objects, inuse_space, inuse_objects; and peak_space, "
		"peak_objects,\n"
		"freed_space, freed_objects, temporary_space, temporary_objects; and released_space, "
		"released_objects,\n"
		"of the code that frees. --weight selects one (peak_space for a program, "
		"inuse_space for a running\n"
		"process).\n\n"
		"  sprof heap --exact -- ./app\n"
		"  sprof heap --exact --live=1s -p 4711 -d 10s\n"
		"  sprof heap --exact -o heap.pb.gz -- ./app && go tool pprof -top heap.pb.gz\n",
	.groups = groups,
	.hidden = "growth older no-pager threads " SPROF_NAMING_HIDDEN,
	.processes = FIELD(watching),
	.defaults = &defaults,
	.options_size = sizeof(struct heap_options),
	.run = run,
};
