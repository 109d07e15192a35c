/*
 * How much of the windows threads had for themselves. A window may count for a thread only until it has had a
 * certain time of it: with windows of the same length by the clock, a thread has less of those in which it
 * stops often, and they weigh too little.
 */
#ifndef SPROF_CMD_WINDOW_TIMES_H
#define SPROF_CMD_WINDOW_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/trap-floor.h"
#include "base/attributes.h"
#include "events/breakpoint-events.h"

struct sprof_window_times {
	struct sprof_trap_floor floor;
	uint64_t enough_ns; /* for itself, of one window */
	bool is_open;       /* a window */
	uint64_t number;    /* of the window that is open, from 1 */
	uint64_t opened_ns; /* when */
	uint64_t all_ns;    /* what a thread that never stops has had of the windows before */
	struct sprof_window_time {
		uint64_t window; /* of its last stop */
		uint64_t first_ns,
			runq_ns;     /* when it stopped first; how long it waited for CPUs since */
		uint64_t seen_ns;    /* when it stopped last */
		uint64_t went_on_ns; /* after it */
		double own_ns,
			stopped_ns; /* in this window: for itself; what stops have run in its place */
		bool has_enough;    /* the window counts no more */
		/* Of windows in which it stopped: for itself, at most, and what it would have without stops. */
		double total_ns, most_ns;
		uint64_t all_ns;
		/* Between all stops of one window and the next: what stops ran, and what it ran for itself. */
		double costs_ns, ran_ns;
	} * items; /* by the thread's id */
	size_t count;
};

/* With no windows yet. UINT64_MAX of `enough_ns`: each counts whole. */
void sprof_window_times_init(
	struct sprof_window_times *times, const struct sprof_trap_floor *floor, uint64_t enough_ns);

void sprof_window_times_open(struct sprof_window_times *times, uint64_t now_ns);
/* Returns what the window has taken from the thread that has lost most, in ns. */
uint64_t sprof_window_times_close(struct sprof_window_times *times, uint64_t now_ns);

/*
 * A thread has stopped, and has gone on at `went_on_ns`; told once or more. *ret_counts: whether a window is
 * open, and still counted for it. False: no memory.
 */
SPROF_MUST_USE bool sprof_window_times_stop(struct sprof_window_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t went_on_ns, bool *ret_counts);

/* What a thread had of all windows, in ns. *ret_is_most: it may have had less. */
double sprof_window_times_own(
	const struct sprof_window_times *times, uint32_t thread, bool *ret_is_most);

void sprof_window_times_finish(struct sprof_window_times *times);

#endif
