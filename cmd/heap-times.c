/*
 * What a stop takes differs by machine, load and CPU. The shortest gaps between two stops tell: in them,
 * the thread did little else. A thread whose gaps are all short may have done nothing else, or as much
 * as the calibrated stop is shorter than they are: then only a bound is known.
 *
 * The kernel's CPU times of threads are of no use here: they are brought up to date at ticks, which are
 * longer than a window.
 */
#include "cmd/heap-times.h"

#include <stdlib.h>

#include "base/array.h"

/* Gaps this far down are taken to be a stop and nothing else. */
static const double shortest = 0.02;

/* With less of the windows for itself, a thread's figure depends on what exactly a stop takes. */
static const double enough = 0.5;

bool sprof_heap_times_stop(struct sprof_heap_times *times, uint32_t thread, uint64_t window,
	const struct sprof_breakpoint_load *load)
{
	struct sprof_heap_time *time;
	bool follows;

	if (!sprof_array_reserve(&times->items, &times->count, thread + 1, sizeof(*times->items)))
		return false;
	time = &times->items[thread];
	follows = time->window == window;
	time->window = window;
	return !follows || sprof_histogram_add(&time->gaps, load->gap_ns);
}

static double own_ns(const struct sprof_breakpoint_load *load, uint64_t on_ns, uint64_t stop_ns)
{
	return (double)on_ns - (double)load->read_ns - (double)load->stops * (double)stop_ns;
}

double sprof_heap_times_own(const struct sprof_heap_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t on_ns, uint64_t floor_ns,
	bool *ret_is_most)
{
	const struct sprof_histogram *gaps =
		thread < times->count ? &times->items[thread].gaps : NULL;
	const uint64_t stop_ns = gaps ? sprof_histogram_quantile(gaps, shortest) : 0;
	const double own = own_ns(load, on_ns, stop_ns > floor_ns ? stop_ns : floor_ns);

	*ret_is_most = own < enough * (double)on_ns;
	return *ret_is_most ? own_ns(load, on_ns, floor_ns) : own;
}

void sprof_heap_times_finish(struct sprof_heap_times *times)
{
	for (size_t i = 0; i < times->count; i++)
		sprof_histogram_finish(&times->items[i].gaps);
	free(times->items);
	*times = (struct sprof_heap_times){0};
}
