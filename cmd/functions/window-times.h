/*
 * Each thread's own running time in measuring windows. For each thread, a window counts only until
 * the thread has run a certain time in it: with windows of fixed duration, a thread would run less
 * in the windows in which it stops often, and these would weigh too little.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/floor/traps.h"
#include "base/attributes.h"
#include "events/functions/breakpoint-events.h"

struct sprof_window_times {
	struct sprof_trap_floor floor;
	uint64_t enough_ns; /* own running time per window */
	bool is_open;       /* a window is open */
	uint64_t number;    /* number of the open window, from 1 */
	uint64_t opened_ns; /* when it opened */
	double weight;      /* how much the open window counts; 1 unless the owner sets it */
	double all_ns;      /* by weight, for a thread that never stops, over the closed windows */
	struct sprof_window_time {
		uint64_t window;                  /* window of its last stop */
		uint64_t first_ns, first_runq_ns; /* its first stop; run-queue time until then */
		uint64_t runq_ns;                 /* run-queue time until its last stop */
		uint64_t seen_ns;                 /* its last stop */
		uint64_t went_on_ns;              /* when it continued after that */
		/* in this window: own running time; time that stops took */
		double own_ns, stopped_ns;
		bool has_enough; /* the window no longer counts for this thread */
		/*
		 * By weight, over windows in which it stopped: own time, its upper bound, and the
		 * time it would have had without stops.
		 */
		double total_ns, most_ns, all_ns;
		/*
		 * Over the gaps between stops in windows: CPU time that stops took, and the
		 * thread's own running time.
		 */
		double costs_ns, ran_ns;
	} * items; /* by thread id */
	size_t count;
};

/* Starts without windows. enough_ns UINT64_MAX: windows count in full. */
void sprof_window_times_init(
	struct sprof_window_times *times, const struct sprof_trap_floor *floor, uint64_t enough_ns);

void sprof_window_times_open(struct sprof_window_times *times, uint64_t now_ns);
/* Closes the window. Returns the time taken from the thread most affected, in ns. */
uint64_t sprof_window_times_close(struct sprof_window_times *times, uint64_t now_ns);

/*
 * A thread has stopped, and continued at `went_on_ns`; may be called repeatedly for a stop.
 * *ret_counts: a window is open and still counts for the thread. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_window_times_stop(struct sprof_window_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t went_on_ns, bool *ret_counts);

/* A thread's own time over all windows, in ns, by weight. *ret_is_most: an upper bound. */
double sprof_window_times_own(
	const struct sprof_window_times *times, uint32_t thread, bool *ret_is_most);

/*
 * The share of the time between its first and its last stop that the thread waited for a CPU. In
 * windows it waits less, or more, than that: the scheduler prefers a thread that was just stopped.
 */
double sprof_window_times_queued(const struct sprof_window_times *times, uint32_t thread);

/* The standard error of a thread's own time that the uncertain cost of its stops makes; relative. */
double sprof_window_times_error(const struct sprof_window_times *times, uint32_t thread);

void sprof_window_times_finish(struct sprof_window_times *times);
