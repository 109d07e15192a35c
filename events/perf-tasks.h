/*
 * What perf records say of the threads themselves: births, names, ends; and which records are
 * missing.
 */
#ifndef SPROF_EVENTS_PERF_TASKS_H
#define SPROF_EVENTS_PERF_TASKS_H

#include <sys/types.h>

#include "events/perf-record.h"
#include "events/sched-order.h"

/* Adds what a FORK, NAME, EXIT or LOST says of a process's threads, and FORKs of other processes. */
void sprof_perf_tasks_add(
	struct sprof_sched_order *order, pid_t pid, const struct sprof_perf_record *record);

#endif
