/*
 * Whether the kernel permits an event of page faults.
 */
#ifndef SPROF_EVENTS_FAULT_OPEN_H
#define SPROF_EVENTS_FAULT_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "events/perf-event.h"
#include "events/perf-registers.h"

/* The bytes of a record, at most. */
enum { SPROF_FAULT_RECORD = SPROF_PERF_STACK_SIZE + 512 };

/* Whether it may be opened, with a ring, for ourselves: then it may be for a process of ours. */
SPROF_MUST_USE bool sprof_fault_may_open(
	struct perf_event_attr attributes, struct sprof_perf_denial *ret_denial);

#endif
