/*
 * Watches the allocators in a run and reports the heap. Does not handle memory that a program gets
 * from the kernel itself.
 */
#include "cmd/heap/exact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/proc/memory.h"
#include "attach/start/guardian.h"
#include "base/array.h"
#include "base/clock.h"
#include "cmd/cli/terminal.h"
#include "cmd/functions/functions.h"
#include "cmd/heap/choice.h"
#include "cmd/ui.h"
#include "output/heap/report.h"
#include "output/heap/sites.h"

enum { TOP = 10 };

struct run {
	const struct sprof_heap_exact_request *request;
	struct sprof_report_options shown;
	struct sprof_event_run watching;
	struct sprof_functions *functions;
	struct sprof_allocations *allocations;
	const struct sprof_allocator **allocators; /* by number; NULL: not looked up */
	size_t allocator_capacity;
	struct sprof_heap_choice choice;
	uint64_t begin_ns, end_ns;
	bool has_begun; /* there was a call */
	bool out_of_memory;
	bool prints; /* the report, to stdout */
};

static bool wants(
	void *data, const struct sprof_module *module, const struct sprof_listed *function)
{
	struct run *run = data;

	return sprof_heap_choice_find(&run->choice, module, function);
}

static bool wants_releases(const struct run *run)
{
	return sprof_heap_needs_releases(run->shown.weight);
}

/*
 * A free needs neither return nor stack: it is attributed to the allocating stack, unless the
 * freeing one is wanted.
 */
static bool is_brief(void *data, const char *name)
{
	return !wants_releases(data) && sprof_allocator_find(name)->kind == SPROF_ALLOCATOR_FREE;
}

static const struct sprof_allocator *allocator_of(void *data, int64_t number)
{
	struct run *run = data;
	const size_t index = (size_t)number;

	if (!sprof_array_reserve(&run->allocators, &run->allocator_capacity, index + 1,
		    sizeof(*run->allocators))) {
		run->out_of_memory = true;
		return NULL;
	}
	if (!run->allocators[index])
		run->allocators[index] =
			sprof_allocator_find(sprof_functions_at(run->functions, number)->name);
	return run->allocators[index];
}

static bool read_word(
	void *data, const struct sprof_trace_event *event, uint64_t address, uint64_t *ret_word)
{
	return sprof_memory_read(event->pid, address, ret_word, sizeof(*ret_word)) ==
		sizeof(*ret_word);
}

/* Not before everything is watched: a free of the memory allocated before could be missed. */
static bool take_event(void *data, const struct sprof_trace_event *event)
{
	struct run *run = data;

	if (event->time_ns < run->begin_ns)
		return true;
	run->has_begun = true;
	if (!sprof_allocations_add(run->allocations, event))
		run->out_of_memory = true;
	return !run->out_of_memory;
}

/* The time that sprof took to find and watch functions is not the program's. */
static void take_loaded(void *data, uint64_t now_ns)
{
	struct run *run = data;

	if (!run->has_begun)
		run->begin_ns = now_ns;
}

static bool create_parts(struct run *run, struct sprof_error *err)
{
	const struct sprof_subject *subject = &run->watching.subject;
	const struct sprof_allocations_options booking = {
		.data = run,
		.allocator = allocator_of,
		.read_word = read_word,
		.follow_children = subject->follow_children,
		.is_whole = subject->arguments,
		.releases = wants_releases(run),
	};
	const struct sprof_functions_options watched = {
		.modules = run->watching.modules,
		.data = run,
		.wants = wants,
		.is_brief = is_brief,
		.event = take_event,
		.loaded = take_loaded,
		.stacks = true,
		.follow_children = subject->follow_children,
	};

	run->allocations = sprof_allocations_create(&booking);
	return run->allocations ? sprof_functions_create(&watched, &run->functions, err)
				: sprof_error_no_memory(err);
}

/* Prints the report on stdout, unless files were requested and stdout is not a terminal. */
static bool settle_outputs(struct run *run, struct sprof_error *err)
{
	struct sprof_outputs *outputs = &run->shown.outputs;
	const bool asks = outputs->count || outputs->fallback;

	if (asks && !sprof_outputs_settle(outputs, SPROF_STDOUT_REPORT, err))
		return false;
	run->prints = run->request->exact.json || !asks ||
		(isatty(STDOUT_FILENO) && !sprof_outputs_use_stdout(outputs));
	return true;
}

static bool begin(struct run *run, char *const operands[], struct sprof_error *err)
{
	struct sprof_event_run *watching = &run->watching;

	run->shown = *run->request->shown;
	if (!sprof_event_run_check("heap", run->request->watching, operands, err) ||
		!settle_outputs(run, err) ||
		!sprof_event_run_init(watching, run->request->watching, operands, err) ||
		!create_parts(run, err))
		return false;
	sprof_functions_prepare(run->functions, &watching->subject);
	watching->subject.stdout_to_stderr =
		operands[0] && (run->prints || sprof_outputs_use_stdout(&run->shown.outputs));
	sprof_heap_begin_profile(watching->profile,
		run->watching.subject.arguments ? SPROF_HEAP_PEAK_SPACE : SPROF_HEAP_INUSE_SPACE,
		wants_releases(run));
	return sprof_report_options_settle_weight(&run->shown, watching->profile, err);
}

static void begin_source(void *data, struct sprof_target *target)
{
	struct run *run = data;

	run->begin_ns = sprof_clock_now_ns();
}

static void end_source(void *data, uint64_t now_ns)
{
	struct run *run = data;

	run->end_ns = now_ns;
}

static bool trace(struct run *run, int *ret_exit, struct sprof_error *err)
{
	const struct sprof_event_source source = sprof_functions_source(run->functions),
					first = {.data = run, .end = end_source},
					last = {.data = run, .begin = begin_source};
	const struct sprof_event_source *const sources[] = {&first, &source, &last, NULL};
	bool done;

	run->watching.tracing.events = sources;
	done = sprof_event_run_run(&run->watching, ret_exit, err);
	run->watching.tracing.events = NULL;
	return run->out_of_memory ? sprof_error_no_memory(err) : done;
}

static void note_gaps(const struct run *run)
{
	const struct sprof_functions_gaps gaps = sprof_functions_gaps(run->functions);

	if (!sprof_functions_count(run->functions))
		sprof_ui_note("no function of an allocator was found: a stripped static program?");
	if (gaps.gone)
		sprof_ui_note(
			"%" PRIu64
			" times a breakpoint was out of the code for a moment, because no place was "
			"found for the instruction that it hides (a filter of system calls?): "
			"other threads may have missed it",
			gaps.gone);
	if (gaps.not_watched)
		sprof_ui_note("%" PRIu32 " functions could not be watched", gaps.not_watched);
	if (gaps.unreadable)
		sprof_ui_note(
			"%" PRIu32 " files could not be searched for allocators", gaps.unreadable);
}

static bool write_report(const struct sprof_heap_report *report, bool json, struct sprof_error *err)
{
	struct sprof_out *out;
	bool done;

	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &out, err))
		return false;
	done = json ? sprof_heap_report_json(report, out) : sprof_heap_report_text(report, out);
	return sprof_out_end(out, done || sprof_error_no_memory(err), err);
}

static bool print(const struct run *run, struct sprof_error *err)
{
	const struct sprof_heap_exact_options *exact = &run->request->exact;
	struct sprof_heap_rows rows;
	const struct sprof_heap_report report = {
		.profile = run->watching.profile,
		.books = sprof_allocations_books(run->allocations),
		.counts = sprof_allocations_counts(run->allocations),
		.rows = &rows,
		.kind = (enum sprof_heap_kind)(
			run->watching.profile->kinds.shown - SPROF_WEIGHT_FURTHER),
		.is_chosen = run->shown.weight,
		.source = sprof_functions_source_name(run->functions),
		.functions = sprof_functions_count(run->functions),
		.begin_ns = run->begin_ns,
		.end_ns = run->end_ns,
		.top = run->shown.output.full   ? 0
			: run->shown.output.top ? run->shown.output.top
						: TOP,
		.width = sprof_terminal_width(),
		.live = exact->live,
		.older_ns = exact->older_ns,
		.sizes = exact->sizes,
		.short_names = run->shown.output.short_names,
	};
	const bool done = sprof_heap_rows_create(
				  report.books, report.profile, run->end_ns, exact->older_ns, &rows)
		? write_report(&report, exact->json, err)
		: sprof_error_no_memory(err);

	sprof_heap_rows_finish(&rows);
	return done;
}

static bool write_all(struct run *run, int *ret_exit, struct sprof_error *err)
{
	struct sprof_profile *profile = run->watching.profile;
	struct sprof_outputs *outputs = &run->shown.outputs;

	if (!sprof_event_run_name(&run->watching, run->request->naming, err))
		return false;
	note_gaps(run);
	if (!sprof_heap_to_profile(sprof_allocations_books(run->allocations), profile))
		return sprof_error_no_memory(err);
	if (run->prints && !print(run, err))
		return false;
	return !outputs->count ||
		sprof_report_options_write_all(&run->shown, profile, ret_exit, err);
}

bool sprof_heap_exact_run(const struct sprof_heap_exact_request *request, char *const operands[],
	int *ret_exit, struct sprof_error *err)
{
	struct run run = {.request = request};
	const bool done = sprof_guardian_begin(request->watching->processes.pid, err) &&
		begin(&run, operands, err) && trace(&run, ret_exit, err) &&
		write_all(&run, ret_exit, err);

	sprof_functions_destroy(run.functions);
	sprof_allocations_destroy(run.allocations);
	free(run.allocators);
	sprof_event_run_finish(&run.watching);
	return done;
}
