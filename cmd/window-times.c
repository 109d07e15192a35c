/*
 * What a stop takes differs by machine, load and CPU. The shortest gaps between two stops tell: in them,
 * the thread did little else. A thread whose gaps are all short may have done nothing else, or as much
 * as the calibrated stop is shorter than they are: then only a bound is known.
 *
 * The kernel's CPU times of threads are of no use here: they are brought up to date at ticks, which are
 * longer than a window.
 */
#include "cmd/window-times.h"

#include <stdlib.h>

#include "base/array.h"

/* Gaps this far down are taken to be a stop and nothing else. */
static const double shortest = 0.02;

/* What most stops take, at most, if it is not known what of their gaps is the thread's own. */
enum { USUAL_FLOORS = 2 };

/* With less of the windows for itself, a thread's figure depends on what exactly a stop takes. */
static const double enough = 0.5;

bool sprof_window_times_stop(struct sprof_window_times *times, uint32_t thread, uint64_t window,
	const struct sprof_breakpoint_load *load)
{
	struct sprof_window_time *time;
	bool follows;

	if (!sprof_array_reserve(&times->items, &times->count, thread + 1, sizeof(*times->items)))
		return false;
	time = &times->items[thread];
	follows = time->window == window;
	time->window = window;
	return !follows || sprof_histogram_add(&time->gaps, load->gap_ns);
}

static uint64_t shortest_ns(
	const struct sprof_window_times *times, uint32_t thread, uint64_t floor_ns)
{
	const uint64_t stop_ns = thread < times->count
		? sprof_histogram_quantile(&times->items[thread].gaps, shortest)
		: 0;

	return stop_ns > floor_ns ? stop_ns : floor_ns;
}

uint64_t sprof_window_times_usual_ns(
	const struct sprof_window_times *times, uint32_t thread, uint64_t floor_ns)
{
	const uint64_t least = shortest_ns(times, thread, floor_ns);
	const uint64_t half = thread < times->count
		? sprof_histogram_quantile(&times->items[thread].gaps, 0.5)
		: 0;
	const uint64_t usual = half < USUAL_FLOORS * floor_ns ? half : USUAL_FLOORS * floor_ns;

	return usual > least ? usual : least;
}

uint64_t sprof_window_times_close(struct sprof_window_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t length_ns, uint64_t stop_ns)
{
	struct sprof_window_time *time = &times->items[thread];
	const uint64_t stops = load->stops - time->before.stops,
		       read_ns = load->read_ns - time->before.read_ns;

	time->before = *load;
	if (!stops)
		return 0;
	time->active.stops += stops;
	time->active.read_ns += read_ns;
	time->active_ns += length_ns;
	return stops * stop_ns + read_ns;
}

void sprof_window_times_begin(struct sprof_window_times *times)
{
	for (size_t i = 0; i < times->count; i++) {
		times->items[i].active = (struct sprof_breakpoint_load){0};
		times->items[i].active_ns = 0;
	}
}

uint64_t sprof_window_times_active(const struct sprof_window_times *times, uint32_t thread,
	struct sprof_breakpoint_load *ret_load)
{
	if (thread >= times->count) {
		*ret_load = (struct sprof_breakpoint_load){0};
		return 0;
	}
	*ret_load = times->items[thread].active;
	return times->items[thread].active_ns;
}

static double own_ns(const struct sprof_breakpoint_load *load, uint64_t on_ns, uint64_t stop_ns)
{
	return (double)on_ns - (double)load->read_ns - (double)load->stops * (double)stop_ns;
}

double sprof_window_times_own(const struct sprof_window_times *times, uint32_t thread,
	const struct sprof_trap_floor *floor, bool *ret_is_most)
{
	struct sprof_breakpoint_load load;
	const uint64_t on_ns = sprof_window_times_active(times, thread, &load);
	const uint64_t stop_ns = shortest_ns(times, thread, floor->here.gap_ns);
	const uint64_t dear_ns =
		stop_ns > floor->elsewhere.gap_ns ? stop_ns : floor->elsewhere.gap_ns;

	*ret_is_most = own_ns(&load, on_ns, dear_ns) < enough * (double)on_ns;
	return own_ns(&load, on_ns, *ret_is_most ? floor->here.gap_ns : stop_ns);
}

void sprof_window_times_finish(struct sprof_window_times *times)
{
	for (size_t i = 0; i < times->count; i++)
		sprof_histogram_finish(&times->items[i].gaps);
	free(times->items);
	*times = (struct sprof_window_times){0};
}
