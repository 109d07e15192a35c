/*
 * Governs by breakpoints only: the kernel leaves the trap of a uprobe in the code while its event is
 * disabled, so a window would spare the record but not the trap. Windows, once begun, stay.
 */
#include "cmd/function-windows.h"

#include <sys/random.h>

#include "attach/trap-floor.h"
#include "base/clock.h"

/* What a stop takes is measured at its shortest. On a busy machine, and with cold caches behind it, it takes
 * a multiple of that. */
enum { STOP_FACTOR = 4 };

void sprof_function_windows_init(struct sprof_function_windows *windows,
	const struct sprof_function_windows_options *options)
{
	*windows = (struct sprof_function_windows){
		.options = *options,
		.source = sprof_functions_source(options->functions),
	};
	if (options->share > 0)
		windows->floor = sprof_trap_floor();
}

void sprof_function_windows_finish(struct sprof_function_windows *windows)
{
	sprof_window_times_finish(&windows->times);
}

/* The time before the first window is one, too. */
static uint64_t number_of(const struct sprof_function_windows *windows)
{
	return windows->has_begun ? windows->duty.windows + 2 : 1;
}

bool sprof_function_windows_stop(
	struct sprof_function_windows *windows, uint32_t thread, uint64_t counted)
{
	struct sprof_breakpoint_load load;

	windows->counted += counted;
	if (!(windows->options.share > 0))
		return true;
	load = sprof_functions_load(windows->options.functions, thread);
	return sprof_window_times_stop(&windows->times, thread, number_of(windows), &load);
}

/* What a window has taken of the thread that has lost most; threads are slowed down side by side. */
static uint64_t close_times(struct sprof_function_windows *windows, uint64_t length_ns,
	bool is_measured, uint64_t factor)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < windows->times.count; i++) {
		const struct sprof_breakpoint_load load =
			sprof_functions_load(windows->options.functions, i);
		const uint64_t stop_ns = is_measured ? sprof_window_times_usual_ns(&windows->times,
							       i, windows->floor.here.gap_ns)
						     : windows->floor.here.gap_ns;
		const uint64_t taken =
			sprof_window_times_close(&windows->times, i, &load, length_ns, stop_ns);

		if (taken > most)
			most = taken;
	}
	most *= factor;
	return most < length_ns ? most : length_ns;
}

static void tell_closed(struct sprof_function_windows *windows, uint64_t now_ns)
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
	sprof_window_times_begin(&windows->times);
	tell_closed(windows, now_ns);
}

static void check(struct sprof_function_windows *windows, uint64_t now_ns)
{
	const uint64_t taken = close_times(windows, now_ns - windows->overload.since_ns, true, 1);

	if (sprof_overload_is(&windows->overload, now_ns, taken))
		begin_windows(windows, now_ns);
}

static void open_window(struct sprof_function_windows *windows)
{
	sprof_functions_resume(windows->options.functions);
	windows->counted = 0;
	sprof_duty_open(&windows->duty, sprof_clock_now_ns());
}

static void close_window(struct sprof_function_windows *windows)
{
	const uint64_t now_ns = sprof_clock_now_ns();
	uint64_t taken;

	sprof_functions_suspend(windows->options.functions);
	taken = close_times(windows, now_ns - windows->duty.opened_ns, false, STOP_FACTOR);
	sprof_duty_close(&windows->duty, now_ns, taken, windows->counted);
	tell_closed(windows, now_ns);
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

	windows->source.begin(windows->source.data, target);
	sprof_overload_init(&windows->overload, windows->options.share, sprof_clock_now_ns());
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

uint64_t sprof_function_windows_active(const struct sprof_function_windows *windows,
	uint32_t thread, double *ret_own, bool *ret_is_most)
{
	struct sprof_breakpoint_load load;
	const uint64_t on_ns = sprof_window_times_active(&windows->times, thread, &load);

	*ret_own = sprof_window_times_own(&windows->times, thread, &windows->floor, ret_is_most);
	return on_ns;
}
