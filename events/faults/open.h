/* Checks whether the kernel permits page fault events. */
#ifndef SPROF_EVENTS_FAULTS_OPEN_H
#define SPROF_EVENTS_FAULTS_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "events/perf/event.h"
#include "events/perf/registers.h"

/* Largest size of a record in bytes. */
enum { SPROF_FAULT_RECORD = SPROF_PERF_STACK_SIZE + 512 };

/*
 * Opens such an event with a ring for sprof itself, as a test of whether the target's may be
 * opened.
 */
SPROF_MUST_USE bool sprof_fault_may_open(
	struct perf_event_attr attributes, struct sprof_perf_denial *ret_denial);

#endif
