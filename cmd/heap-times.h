/*
 * How much of the windows threads had for themselves: their length without what stops took.
 */
#ifndef SPROF_CMD_HEAP_TIMES_H
#define SPROF_CMD_HEAP_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"
#include "events/breakpoint-events.h"

/* Zeroed is empty and valid. */
struct sprof_heap_times {
	struct sprof_heap_time {
		struct sprof_histogram gaps; /* from one stop to the next one of a window, ns */
		uint64_t window;             /* of its last stop, from 1 */
	} * items;                           /* by the thread's id */
	size_t count;
};

/* A thread has stopped in this window. False: no memory. */
SPROF_MUST_USE bool sprof_heap_times_stop(struct sprof_heap_times *times, uint32_t thread,
	uint64_t window, const struct sprof_breakpoint_load *load);

/*
 * What a thread had of windows that lasted `on_ns`, in ns. `floor_ns`: the kernel's part of a stop, at
 * least. *ret_is_most: it may have had less.
 */
double sprof_heap_times_own(const struct sprof_heap_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t on_ns, uint64_t floor_ns,
	bool *ret_is_most);

void sprof_heap_times_finish(struct sprof_heap_times *times);

#endif
