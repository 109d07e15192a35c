/*
 * Scheduling of a process's threads, from the tracepoints sched_switch, sched_waking, sched_wakeup
 * and sched_wakeup_new, with the kernel's own timestamps.
 *
 * The switch to a thread is recorded in the context of the previous thread, and a wakeup in that of
 * the waker; per-thread events would miss both. So these events are opened per CPU for all threads,
 * with a kernel filter for the process's threads (events/recorded/tid-filter.h). The number of
 * descriptors does not grow with the number of threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf/rings.h"
#include "events/recorded/tracepoint-format.h"
#include "events/perf/sched-order.h"

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

/*
 * `ring_size`: bytes for each CPU, a power of two; 0: as much as is permitted, up to 4 MiB. Returns
 * false if not permitted or not available. Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_sched_tracepoints_begin(struct sprof_sched_tracepoints *points, pid_t pid,
	size_t ring_size, struct sprof_perf_denial *ret_denial);

/*
 * Restricts the filter to these threads (sorts them) and to those born later. `last`:
 * sprof_last_tid() from before the threads were listed. If the kernel rejects the filter, the old
 * one stays, and more records arrive than needed.
 */
void sprof_sched_tracepoints_filter(
	const struct sprof_sched_tracepoints *points, pid_t *tids, size_t count, pid_t last);

/*
 * Adds the records since the last call: OFF, ON, WAKING, WAKEUP, BIRTH, NAME, EXIT and gaps. OFF to
 * WAKEUP may belong to other processes; the caller drops them because they had no BIRTH.
 */
void sprof_sched_tracepoints_read(
	struct sprof_sched_tracepoints *points, struct sprof_sched_order *order);

/* Zeroed is accepted. */
void sprof_sched_tracepoints_finish(struct sprof_sched_tracepoints *points);

/* The tid that the kernel assigned last, in any process; 0: unknown. */
pid_t sprof_last_tid(void);
