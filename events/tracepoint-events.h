/*
 * Events of the catalogue from the kernel's tracepoints, which stop nobody: system calls of the
 * target's threads, and what the scheduler does with them. Takes root, and tracefs.
 */
#ifndef SPROF_EVENTS_TRACEPOINT_EVENTS_H
#define SPROF_EVENTS_TRACEPOINT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/call-events.h"
#include "events/event-list.h"
#include "events/perf-event.h"
#include "events/source.h"

struct sprof_tracepoint_events;

struct sprof_tracepoint_events_options {
	const struct sprof_event_list *list; /* its types are recorded */
	bool follow_children;
	struct sprof_trace_sink sink; /* gets the events in the order of time, some ms late */
	/* The kernel has lost records before this time. */
	void (*gap)(void *data, uint64_t end_ns);
};

/*
 * Finds the tracepoints and asks the kernel whether they may be opened. False: they may not, or there
 * is no memory (OTHER with errno 0).
 */
SPROF_MUST_USE bool sprof_tracepoint_events_create(
	const struct sprof_tracepoint_events_options *options, struct sprof_tracepoint_events **ret,
	struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_tracepoint_events_destroy(struct sprof_tracepoint_events *events);

/* The source; valid as long as `events`. */
struct sprof_event_source sprof_tracepoint_events_source(struct sprof_tracepoint_events *events);

/* Up to when all events have been given. */
uint64_t sprof_tracepoint_events_known_ns(const struct sprof_tracepoint_events *events);
/* How many records the kernel has lost; and how many threads could not be watched. */
uint64_t sprof_tracepoint_events_lost(const struct sprof_tracepoint_events *events);
uint32_t sprof_tracepoint_events_unwatched(const struct sprof_tracepoint_events *events);

#endif
