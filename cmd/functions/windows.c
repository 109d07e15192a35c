/*
 * Works with breakpoints only: a disabled uprobe keeps its trap instruction in the code, so windows
 * would save the records but not the traps. Once begun, windows continue until the end.
 */
#include "cmd/functions/windows.h"

#include <sys/random.h>

#include "attach/floor/traps.h"
#include "base/clock.h"

/* Estimated true cost in percent of the measured: caches are colder after each stop. */
enum { CACHES_PCT = 125 };

void sprof_function_windows_init(struct sprof_function_windows *windows,
	const struct sprof_function_windows_options *options)
{
	*windows = (struct sprof_function_windows){
		.options = *options,
		.source = sprof_functions_source(options->functions),
	};
	if (options->share > 0)
		windows->floor = sprof_trap_floor();
	sprof_window_times_init(&windows->times, &windows->floor, UINT64_MAX);
}

void sprof_function_windows_finish(struct sprof_function_windows *windows)
{
	sprof_window_times_finish(&windows->times);
}

bool sprof_function_windows_stop(struct sprof_function_windows *windows,
	const struct sprof_trace_event *event, uint64_t counted)
{
	struct sprof_breakpoint_load load;
	bool counts;

	windows->counted += counted;
	if (!(windows->options.share > 0))
		return true;
	load = sprof_functions_load(windows->options.functions, event->thread);
	return sprof_window_times_stop(
		&windows->times, event->thread, &load, event->time_ns, &counts);
}

static void call_closed(struct sprof_function_windows *windows, uint64_t now_ns)
{
	const struct sprof_function_windows_options *options = &windows->options;

	if (options->closed && !options->closed(options->data, now_ns))
		windows->out_of_memory = true;
}

static void begin_windows(struct sprof_function_windows *windows, uint64_t now_ns)
{
	uint64_t seed = 0;

	sprof_functions_suspend(windows->options.functions);
	(void)!getrandom(&seed, sizeof(seed), 0);
	sprof_duty_init(&windows->duty, windows->options.share, seed, now_ns);
	windows->has_begun = true;
	sprof_window_times_finish(&windows->times);
	sprof_window_times_init(&windows->times, &windows->floor, UINT64_MAX);
	call_closed(windows, now_ns);
}

/* The time before the first window is checked, too. */
static void check(struct sprof_function_windows *windows, uint64_t now_ns)
{
	const uint64_t taken = sprof_window_times_close(&windows->times, now_ns);

	if (sprof_overload_is(&windows->overload, now_ns, taken))
		begin_windows(windows, now_ns);
	else
		sprof_window_times_open(&windows->times, now_ns);
}

static void open_window(struct sprof_function_windows *windows)
{
	uint64_t now_ns;

	sprof_functions_resume(windows->options.functions);
	windows->counted = 0;
	now_ns = sprof_clock_now_ns();
	sprof_duty_open(&windows->duty, now_ns);
	windows->times.weight = (double)windows->duty.weight;
	sprof_window_times_open(&windows->times, now_ns);
	if (windows->options.opened)
		windows->options.opened(windows->options.data, windows->duty.weight);
}

static void close_window(struct sprof_function_windows *windows)
{
	const uint64_t now_ns = sprof_clock_now_ns();
	const uint64_t taken = sprof_window_times_close(&windows->times, now_ns);

	sprof_functions_suspend(windows->options.functions);
	sprof_duty_close(&windows->duty, now_ns, taken * CACHES_PCT / 100, windows->counted);
	call_closed(windows, now_ns);
}

static void turn(struct sprof_function_windows *windows, uint64_t now_ns)
{
	if (!windows->has_begun)
		check(windows, now_ns);
	else if (windows->duty.is_open)
		close_window(windows);
	else
		open_window(windows);
}

static uint64_t turn_ns(const struct sprof_function_windows *windows)
{
	return windows->has_begun ? windows->duty.next_ns : windows->overload.next_ns;
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_function_windows *windows = data;
	const uint64_t now_ns = sprof_clock_now_ns();

	windows->source.begin(windows->source.data, target);
	sprof_overload_init(&windows->overload, windows->options.share, now_ns);
	sprof_window_times_open(&windows->times, now_ns);
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	const struct sprof_function_windows *windows = data;

	return windows->source.offer(windows->source.data, stacks);
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_function_windows *windows = data;

	windows->source.take(windows->source.data, event);
}

static uint64_t due_ns(const void *data)
{
	const struct sprof_function_windows *windows = data;
	const uint64_t source_ns = windows->source.due_ns(windows->source.data);

	return source_ns < turn_ns(windows) ? source_ns : turn_ns(windows);
}

static bool poll_windows(void *data, uint64_t now_ns)
{
	struct sprof_function_windows *windows = data;

	if (now_ns >= turn_ns(windows))
		turn(windows, sprof_clock_now_ns());
	return windows->source.poll(windows->source.data, now_ns) && !windows->out_of_memory;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_function_windows *windows = data;

	if (windows->has_begun && windows->duty.is_open)
		close_window(windows);
	windows->end_ns = now_ns;
	windows->source.end(windows->source.data, now_ns);
}

struct sprof_event_source sprof_function_windows_source(struct sprof_function_windows *windows)
{
	return (struct sprof_event_source){
		.data = windows,
		.begin = begin,
		.offer = offer,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_windows,
		.end = end,
	};
}

double sprof_function_windows_own(
	const struct sprof_function_windows *windows, uint32_t thread, bool *ret_is_most)
{
	return sprof_window_times_own(&windows->times, thread, ret_is_most);
}
