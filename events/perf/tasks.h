/* Thread births, names, ends and lost records, from perf records. */
#pragma once

#include <sys/types.h>

#include "events/perf/record.h"
#include "events/perf/sched-order.h"

/*
 * Adds FORK, NAME, EXIT and LOST records of a process's threads, and FORK records of other
 * processes.
 */
void sprof_perf_tasks_add(
	struct sprof_sched_order *order, pid_t pid, const struct sprof_perf_record *record);
