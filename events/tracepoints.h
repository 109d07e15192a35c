/*
 * The kernel's tracepoints: what tracefs says of them, and opening them as perf events. That takes
 * CAP_PERFMON, and a tracefs that can be read: usually root.
 */
#ifndef SPROF_EVENTS_TRACEPOINTS_H
#define SPROF_EVENTS_TRACEPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf-event.h"
#include "events/tracepoint-format.h"

struct sprof_tracepoint {
	uint32_t id;  /* its samples begin with it, as 16 bits: "common_type" */
	char *format; /* the text of its format file */
};

/*
 * Reads id and format of a tracepoint ("sched", "sched_switch"). False: tracefs can't be read
 * (NO_TRACEFS), or the kernel has no such tracepoint (UNSUPPORTED). Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_tracepoint_find(const char *group, const char *name,
	struct sprof_tracepoint *ret, struct sprof_perf_denial *ret_denial);

void sprof_tracepoint_finish(struct sprof_tracepoint *tracepoint);

/* The attribute of an event that gives each hit of the tracepoint, with its raw bytes. */
struct perf_event_attr sprof_tracepoint_attributes(const struct sprof_tracepoint *tracepoint);

#endif
