/*
 * How much of the windows threads had for themselves: their length without what stops took.
 */
#ifndef SPROF_CMD_WINDOW_TIMES_H
#define SPROF_CMD_WINDOW_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/trap-floor.h"
#include "base/attributes.h"
#include "base/histogram.h"
#include "events/breakpoint-events.h"

/* Zeroed is empty and valid. */
struct sprof_window_times {
	struct sprof_window_time {
		struct sprof_histogram gaps; /* from one stop to the next one of a window, ns */
		uint64_t window;             /* of its last stop, from 1 */
		struct sprof_breakpoint_load before; /* at the end of the last window */
		/* Of the windows in which it has stopped. */
		struct sprof_breakpoint_load active;
		uint64_t active_ns;
	} * items; /* by the thread's id */
	size_t count;
};

/* A thread has stopped in this window. False: no memory. */
SPROF_MUST_USE bool sprof_window_times_stop(struct sprof_window_times *times, uint32_t thread,
	uint64_t window, const struct sprof_breakpoint_load *load);

/* What most of its stops take, in ns: its usual gap, but not more than twice the floor. */
uint64_t sprof_window_times_usual_ns(
	const struct sprof_window_times *times, uint32_t thread, uint64_t floor_ns);

/*
 * A window is over. What it has taken of the thread's time, if a stop takes `stop_ns`; `load` is what the
 * thread has in all.
 */
uint64_t sprof_window_times_close(struct sprof_window_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t length_ns, uint64_t stop_ns);

/* What was up to now is not of the windows in which threads were active. */
void sprof_window_times_begin(struct sprof_window_times *times);

/* The length of the windows in which the thread has stopped, and what they took of it. */
uint64_t sprof_window_times_active(const struct sprof_window_times *times, uint32_t thread,
	struct sprof_breakpoint_load *ret_load);

/*
 * What a thread had for itself of the windows in which it has stopped, in ns. *ret_is_most: it may have had
 * less, because it would have had hardly any time if its stops took as long as they may.
 */
double sprof_window_times_own(const struct sprof_window_times *times, uint32_t thread,
	const struct sprof_trap_floor *floor, bool *ret_is_most);

void sprof_window_times_finish(struct sprof_window_times *times);

#endif
