/* The times of a thread between its stops at breakpoints. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"

/* Stops of one thread so far: their number, and the time spent reading it. The kernel's share of
 * the time is not included. */
struct sprof_breakpoint_load {
	uint64_t stops, read_ns;
	uint64_t stopped_ns; /* time of the last stop */
	/*
	 * time from the previous stop's end, or from the end of a suspension, to the last stop; 0:
	 * first stop
	 */
	uint64_t gap_ns;
	/* From schedstat, over gap_ns: CPU time, run-queue time, timeslices. 0: not available. */
	uint64_t cpu_ns, runq_ns, slices;
	uint64_t all_runq_ns; /* of the thread's whole life */
	/*
	 * with `times`: the tracer ran on another CPU than the thread, when this was last looked at
	 */
	bool is_elsewhere;
};

struct sprof_stop_times {
	struct sprof_breakpoint_load load;
	uint64_t passed_ns;                    /* when it last continued */
	struct sprof_proc_schedstat schedstat; /* at its last stop, or when a gap began */
};

/* The thread runs, and was not stopped before: the gap before its next stop begins now. */
void sprof_stop_times_begin_gap(struct sprof_stop_times *times, struct sprof_thread *thread);

/*
 * The thread has stopped. `with_figures`: also reads the figures of the kernel, before the thread
 * continues.
 */
void sprof_stop_times_begin(struct sprof_stop_times *times, struct sprof_thread *thread,
	uint64_t now_ns, bool with_figures);
/* The thread has continued at `passed_ns`; its stop was taken at `began_ns`. */
void sprof_stop_times_end(struct sprof_stop_times *times, uint64_t began_ns, uint64_t passed_ns);
