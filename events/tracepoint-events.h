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
#include "events/perf-event.h"
#include "events/source.h"

struct sprof_tracepoint_events;

struct sprof_tracepoint_events_options {
	uint32_t types; /* which are recorded: 1 << enum sprof_trace_type, or-ed */
	bool follow_children;
	/* Both get what there is in the order of time, some ms late: */
	struct sprof_calls_listener calls; /* system calls; one that asks for stacks gets none */
	struct sprof_trace_sink sink;      /* all other events */
	/* The kernel has lost records before this time. Data is the sink's. NULL: not wanted. */
	void (*gap)(void *data, uint64_t end_ns);
};

/* The types of the begin and the end of any call. */
uint32_t sprof_tracepoint_events_calls(void);

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

struct sprof_tracepoint_gaps {
	uint64_t lost;         /* records that the kernel had no room for */
	uint32_t unwatched;    /* events of threads that could not be opened */
	uint64_t ended_unseen; /* calls that began before tracing did and were not known */
};

struct sprof_tracepoint_gaps sprof_tracepoint_events_gaps(
	const struct sprof_tracepoint_events *events);

#endif
