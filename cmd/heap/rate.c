/*
 * Sets breakpoints at the allocators in short windows. A thread's rate is what it allocates in
 * windows, divided by its own time in them. Each window counts for the time since the last one.
 *
 * Does not handle frees: most happen outside the window. For a thread that allocates so fast that
 * it hardly runs between stops, the figure is a lower bound.
 */
#include "cmd/heap/rate.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "attach/floor/traps.h"
#include "attach/start/guardian.h"
#include "base/clock.h"
#include "cmd/functions/functions.h"
#include "cmd/functions/window-times.h"
#include "cmd/heap/choice.h"
#include "cmd/heap/growth.h"
#include "cmd/ui.h"
#include "events/functions/duty.h"

/* Estimated true cost in percent of the measured: caches are colder after each stop. */
enum { CACHES_PCT = 125 };

/* A note says so if threads waited for a CPU for more than this share of the time. */
static const double much_queued = 0.05;

/* A thread's own time that counts per window. */
static const uint64_t enough_ns = 2 * SPROF_NS_PER_MS;

struct run {
	const struct sprof_heap_rate_request *request;
	struct sprof_report_options shown;
	struct sprof_event_run watching;
	struct sprof_functions *functions;
	struct sprof_event_source source; /* of the functions */
	struct sprof_heap_choice choice;
	struct sprof_growth counted; /* in windows, by weight */
	struct sprof_duty duty;
	struct sprof_window_times times;
	uint64_t counted_bytes; /* in this window */
	uint64_t end_ns;
	bool out_of_memory;
	bool has_fast_threads;
	double queued;    /* how much of the allocations' time threads waited for a CPU; a share */
	double uncertain; /* how far off the rates may be, because the cost of a stop is; a share */
};

/* reallocarray() calls realloc(), and nested calls are not recognised here. */
static bool wants(
	void *data, const struct sprof_module *module, const struct sprof_listed *function)
{
	struct run *run = data;
	const struct sprof_allocator *allocator =
		sprof_heap_choice_find(&run->choice, module, function);

	return allocator && allocator->size != SPROF_ALLOCATOR_NO_ARGUMENT &&
		allocator->kind <= SPROF_ALLOCATOR_RESIZE_F &&
		strcmp(function->name, "reallocarray") != 0;
}

static uint64_t size_of(const struct run *run, const struct sprof_trace_event *event)
{
	enum { NUMBER, IP, SP, FIRST };
	const struct sprof_function *function =
		sprof_functions_at(run->functions, event->fields[NUMBER].integer);
	const struct sprof_allocator *allocator = sprof_allocator_find(function->name);
	uint64_t arguments[SPROF_TRACE_ARGUMENTS];

	for (int i = 0; i < SPROF_TRACE_ARGUMENTS; i++)
		arguments[i] = (uint64_t)event->fields[FIRST + i].integer;
	return sprof_allocator_size(allocator, arguments);
}

/* A size that overflows gets no memory. A thread may come to a breakpoint just before the window is
 * over, and report it later. */
static bool take_event(void *data, const struct sprof_trace_event *event)
{
	struct run *run = data;
	struct sprof_breakpoint_load load;
	bool counts = false;
	uint64_t bytes;

	if (event->type != SPROF_TRACE_PROBE || !run->duty.is_open)
		return true;
	bytes = size_of(run, event);
	if (bytes == UINT64_MAX)
		return true;
	load = sprof_functions_load(run->functions, event->thread);
	if (!sprof_window_times_stop(&run->times, event->thread, &load, event->time_ns, &counts) ||
		(counts &&
			!sprof_growth_add(&run->counted, event->thread, (uint32_t)event->stack,
				bytes * run->duty.weight, run->duty.weight)))
		run->out_of_memory = true;
	run->counted_bytes += counts ? bytes : 0;
	return !run->out_of_memory;
}

static void turn(struct run *run, uint64_t now_ns)
{
	uint64_t taken_ns;

	if (!run->duty.is_open) {
		sprof_functions_resume(run->functions);
		run->counted_bytes = 0;
		now_ns = sprof_clock_now_ns();
		sprof_duty_open(&run->duty, now_ns);
		run->times.weight = (double)run->duty.weight;
		sprof_window_times_open(&run->times, now_ns);
		return;
	}
	taken_ns = sprof_window_times_close(&run->times, now_ns);
	sprof_functions_suspend(run->functions);
	sprof_duty_close(&run->duty, now_ns, taken_ns * CACHES_PCT / 100, run->counted_bytes);
}

static void begin_source(void *data, struct sprof_target *target)
{
	struct run *run = data;
	uint64_t seed = 0;

	run->source.begin(run->source.data, target);
	sprof_functions_suspend(run->functions);
	(void)!getrandom(&seed, sizeof(seed), 0);
	sprof_duty_init(&run->duty, run->request->overhead, seed, sprof_clock_now_ns());
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	const struct run *run = data;

	return run->source.offer(run->source.data, stacks);
}

static void take(void *data, const struct sprof_event *event)
{
	struct run *run = data;

	run->source.take(run->source.data, event);
}

static uint64_t due_ns(const void *data)
{
	const struct run *run = data;
	const uint64_t source_ns = run->source.due_ns(run->source.data);

	return source_ns < run->duty.next_ns ? source_ns : run->duty.next_ns;
}

static bool poll_windows(void *data, uint64_t now_ns)
{
	struct run *run = data;

	if (now_ns >= run->duty.next_ns)
		turn(run, sprof_clock_now_ns());
	return run->source.poll(run->source.data, now_ns) && !run->out_of_memory;
}

static void end_source(void *data, uint64_t now_ns)
{
	struct run *run = data;

	if (run->duty.is_open)
		turn(run, now_ns);
	run->end_ns = now_ns;
	run->source.end(run->source.data, now_ns);
}

/* Converts the counts to rates. */
static bool put_rates(struct run *run, struct sprof_growth *rates)
{
	double queued = 0, uncertain = 0, all = 0;

	for (size_t i = 0; i < run->counted.row_count; i++) {
		const struct sprof_growth_row *row = &run->counted.rows[i];
		bool is_most;
		const double own = sprof_window_times_own(&run->times, row->thread, &is_most);
		const double per_s = own > 0 ? SPROF_NS_PER_S / own : 0;

		const double rate = (double)row->bytes * per_s;

		run->has_fast_threads |= is_most || !per_s;
		queued += rate * sprof_window_times_queued(&run->times, row->thread);
		uncertain += rate * sprof_window_times_error(&run->times, row->thread);
		all += rate;
		if (!sprof_growth_add(rates, row->thread, row->stack, (uint64_t)llround(rate),
			    (uint64_t)llround((double)row->count * per_s)))
			return false;
	}
	run->queued = all > 0 ? queued / all : 0;
	run->uncertain = all > 0 ? uncertain / all : 0;
	return true;
}

/* What is computed from windows does not hold as far as threads wait for a CPU outside. */
static double error_of(const struct run *run)
{
	return hypot(hypot(sprof_duty_error(&run->duty), run->queued), run->uncertain);
}

static void note_certainty(const struct run *run)
{
	const struct sprof_duty *duty = &run->duty;
	const double error = error_of(run);

	if (!sprof_functions_count(run->functions))
		sprof_ui_note("no function of an allocator was found: a stripped static program?");
	if (isfinite(error))
		sprof_ui_note("an estimate from %" PRIu64
			      " windows of %.2f ms: its standard error is %.0f %%, and it tends to "
			      "be too low",
			duty->windows,
			(double)duty->on_ns / (double)duty->windows / SPROF_NS_PER_MS, 100 * error);
	else
		sprof_ui_note(
			"too little was seen for an estimate: %" PRIu64 " windows", duty->windows);
	if (duty->windows)
		sprof_ui_note("stops took at most %.1f %% of the time",
			100 * (double)duty->taken_ns / (double)(run->end_ns - duty->begin_ns));
	if (run->queued >= much_queued)
		sprof_ui_note(
			"the allocating threads waited %.0f %% of the time for a CPU, which makes the "
			"estimate that uncertain: measure while fewer threads compete",
			100 * run->queued);
	if (run->has_fast_threads)
		sprof_ui_note(
			"some threads allocate too fast to be measured: their rates are lower "
			"bounds");
}

static unsigned error_percent(const struct run *run)
{
	const double error = error_of(run);

	return isfinite(error) ? (unsigned)fmax(fmin(ceil(100 * error), 999), 1) : UINT_MAX;
}

static bool write_all(struct run *run, int *ret_exit, struct sprof_error *err)
{
	struct sprof_profile *profile = run->watching.profile;
	struct sprof_growth rates = {0};
	bool done = sprof_event_run_name(&run->watching, run->request->naming, err);

	if (done)
		done = (put_rates(run, &rates) && sprof_growth_to_profile(&rates, profile)) ||
			sprof_error_no_memory(err);
	sprof_growth_finish(&rates);
	if (!done)
		return false;
	profile->kinds.are_lower_bounds = run->has_fast_threads;
	profile->kinds.error_percent = error_percent(run);
	note_certainty(run);
	return sprof_report_options_write_all(&run->shown, profile, ret_exit, err);
}

static bool create_functions(struct run *run, struct sprof_error *err)
{
	const struct sprof_functions_options wanted = {
		.modules = run->watching.modules,
		.data = run,
		.wants = wants,
		.event = take_event,
		.stacks = true,
		.begins_only = true,
		.times = true,
		.follow_children = run->watching.subject.follow_children,
	};

	if (!sprof_functions_create(&wanted, &run->functions, err))
		return false;
	run->source = sprof_functions_source(run->functions);
	return true;
}

static bool begin(struct run *run, char *const operands[], struct sprof_error *err)
{
	const struct sprof_event_run_options *watching = run->request->watching;
	struct sprof_trap_floor floor;

	run->shown = *run->request->shown;
	if (!sprof_event_run_check("heap", watching, operands, err) ||
		!sprof_report_options_settle_answer(&run->shown, run->request->is_quiet, err) ||
		!sprof_guardian_begin(watching->processes.pid, err) ||
		!sprof_event_run_init(&run->watching, watching, operands, err) ||
		!create_functions(run, err))
		return false;
	floor = sprof_trap_floor();
	sprof_window_times_init(&run->times, &floor, enough_ns);
	sprof_functions_prepare(run->functions, &run->watching.subject);
	run->watching.subject.stdout_to_stderr =
		operands[0] && sprof_outputs_use_stdout(&run->shown.outputs);
	sprof_growth_begin_profile(run->watching.profile, SPROF_GROWTH_RATE);
	return sprof_report_options_settle_weight(&run->shown, run->watching.profile, err);
}

static bool trace(struct run *run, int *ret_exit, struct sprof_error *err)
{
	const struct sprof_event_source source = {
		.data = run,
		.begin = begin_source,
		.offer = offer,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_windows,
		.end = end_source,
	};
	const struct sprof_event_source *const sources[] = {&source, NULL};
	bool done;

	run->watching.tracing.events = sources;
	done = sprof_event_run_run(&run->watching, ret_exit, err);
	run->watching.tracing.events = NULL;
	return run->out_of_memory ? sprof_error_no_memory(err) : done;
}

bool sprof_heap_rate_run(const struct sprof_heap_rate_request *request, char *const operands[],
	int *ret_exit, struct sprof_error *err)
{
	struct run run = {.request = request};
	const bool done = begin(&run, operands, err) && trace(&run, ret_exit, err) &&
		write_all(&run, ret_exit, err);

	sprof_functions_destroy(run.functions);
	sprof_growth_finish(&run.counted);
	sprof_window_times_finish(&run.times);
	sprof_event_run_finish(&run.watching);
	return done;
}
