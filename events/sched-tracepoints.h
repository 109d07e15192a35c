/*
 * What the scheduler does with a process's threads, from the tracepoints sched_switch, sched_waking,
 * sched_wakeup and sched_wakeup_new: every moment is the kernel's own.
 *
 * A thread's switch to a CPU is seen by the thread before it, and its waking by the waker. Events of
 * its own would not see either. So these events are opened for each CPU, for all threads, and a
 * filter in the kernel lets only those pass that may be the process's (tid-filter.h). The number of
 * descriptors does not grow with the number of threads.
 */
#ifndef SPROF_EVENTS_SCHED_TRACEPOINTS_H
#define SPROF_EVENTS_SCHED_TRACEPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf-rings.h"
#include "events/sched-order.h"
#include "events/tracepoint-format.h"

enum { SPROF_SCHED_TRACEPOINTS = 4 };

struct sprof_sched_tracepoint {
	uint32_t id;
	struct sprof_tracepoint_field type, tid, next_tid, state;
	size_t first_fd, fd_count; /* in the rings */
};

struct sprof_sched_tracepoints {
	pid_t pid;
	struct sprof_perf_rings rings;
	struct sprof_sched_tracepoint points[SPROF_SCHED_TRACEPOINTS];
};

/* False: they are not permitted here, or are not there. Finish it in both cases. */
SPROF_MUST_USE bool sprof_sched_tracepoints_begin(
	struct sprof_sched_tracepoints *points, pid_t pid, struct sprof_perf_denial *ret_denial);

/*
 * Narrows the filter to these threads (sorted by this function) and those born from now on. `last`
 * is sprof_last_tid() from before the threads were listed. Where the kernel refuses the filter, the
 * old one stays, and more records come than are needed.
 */
void sprof_sched_tracepoints_filter(
	const struct sprof_sched_tracepoints *points, pid_t *tids, size_t count, pid_t last);

/*
 * Adds what has happened since the last call: OFF, ON, WAKING, WAKEUP, BIRTH, NAME, EXIT and gaps.
 * OFF to WAKEUP also of threads of other processes, which the caller must leave out by BIRTH.
 */
void sprof_sched_tracepoints_read(
	struct sprof_sched_tracepoints *points, struct sprof_sched_order *order);

/* Zeroed is accepted. */
void sprof_sched_tracepoints_finish(struct sprof_sched_tracepoints *points);

/* The id that the kernel gave last to a new thread of any process. 0: it does not tell. */
pid_t sprof_last_tid(void);

#endif
