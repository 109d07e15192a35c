/*
 * What /proc says of the threads of one process: which there are, and how long each has waited for a
 * CPU.
 */
#ifndef SPROF_EVENTS_SCHED_THREADS_H
#define SPROF_EVENTS_SCHED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/delays.h"
#include "events/sched-order.h"

struct sprof_tids {
	pid_t *items;
	size_t count, capacity;
};

/* The threads of a process. False: it has ended, or no memory. Free the items in both cases. */
SPROF_MUST_USE bool sprof_tids_list(pid_t pid, struct sprof_tids *ret);

/* Takes in those threads that are not known. */
void sprof_sched_threads_add(struct sprof_delays *delays, pid_t pid, const struct sprof_tids *tids);

/* Adds a READING of each thread. */
void sprof_sched_threads_read(
	struct sprof_sched_order *order, pid_t pid, const struct sprof_tids *tids);

/*
 * For a source that tells nothing of births, names and ends: adds them, as the difference between
 * what is known and the threads that there are. Sorts the ids.
 */
void sprof_sched_threads_compare(struct sprof_sched_order *order, const struct sprof_delays *delays,
	pid_t pid, struct sprof_tids *tids);

#endif
