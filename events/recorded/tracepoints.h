/*
 * Kernel tracepoints: reads their description in tracefs and opens them as perf events. Needs
 * CAP_PERFMON and a readable tracefs: usually root.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf/event.h"
#include "events/recorded/tracepoint-format.h"

struct sprof_tracepoint {
	uint32_t id;  /* 16 bits at the start of its samples: "common_type" */
	char *format; /* the text of its format file */
};

/*
 * Reads a tracepoint's id and format, such as ("sched", "sched_switch"). Returns false if tracefs
 * can't be read (NO_TRACEFS), or the kernel has no such tracepoint (UNSUPPORTED). Finish it in both
 * cases.
 */
SPROF_MUST_USE bool sprof_tracepoint_find(const char *group, const char *name,
	struct sprof_tracepoint *ret, struct sprof_perf_denial *ret_denial);

void sprof_tracepoint_finish(struct sprof_tracepoint *tracepoint);

/* Attributes of a perf event that records each hit of the tracepoint, with raw bytes. */
struct perf_event_attr sprof_tracepoint_attributes(const struct sprof_tracepoint *tracepoint);
