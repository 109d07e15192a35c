/*
 * Context switches of a process's threads, from PERF_RECORD_SWITCH: switch-ins, switch-outs, and
 * whether the thread was preempted. Permitted for the user's own processes if perf_event_paranoid
 * is at most 2. Costs about 0.35 us per switch and wakes no thread.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf/rings.h"
#include "events/perf/sched-order.h"

struct sprof_switches {
	pid_t pid;
	struct sprof_perf_rings rings;
};

/*
 * Covers all present and future threads of the process. Returns false if refused, or if the process
 * has ended (GONE). Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_switches_begin(
	struct sprof_switches *switches, pid_t pid, struct sprof_perf_denial *ret_denial);

/* Adds the records since the last call: OFF, ON, BIRTH, NAME, EXIT and gaps. */
void sprof_switches_read(struct sprof_switches *switches, struct sprof_sched_order *order);

/* Zeroed is accepted. */
void sprof_switches_finish(struct sprof_switches *switches);
