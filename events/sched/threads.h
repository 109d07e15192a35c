/* The threads of a process and their run-queue delays, from /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/sched/delays.h"
#include "events/perf/sched-order.h"

struct sprof_tids {
	pid_t *items;
	size_t count, capacity;
};

/*
 * Lists the threads of a process. Returns false if it has ended, or out of memory. Free the items
 * in both cases.
 */
SPROF_MUST_USE bool sprof_tids_list(pid_t pid, struct sprof_tids *ret);

/* Adds the threads that are not known yet. */
void sprof_sched_threads_add(struct sprof_delays *delays, pid_t pid, const struct sprof_tids *tids);

/* Adds a READING of each thread. */
void sprof_sched_threads_read(
	struct sprof_sched_order *order, pid_t pid, const struct sprof_tids *tids);

/*
 * Adds births, names and ends for a source that does not report them, by comparing the known
 * threads with the present ones. Sorts the ids.
 */
void sprof_sched_threads_compare(struct sprof_sched_order *order, const struct sprof_delays *delays,
	pid_t pid, struct sprof_tids *tids);
