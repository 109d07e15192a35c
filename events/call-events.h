/*
 * What the target reports, as events of the catalogue: system calls, births, execs, ends, signals.
 */
#ifndef SPROF_EVENTS_CALL_EVENTS_H
#define SPROF_EVENTS_CALL_EVENTS_H

#include <stdbool.h>

#include "events/calls.h"
#include "events/event-type.h"

/* Takes the events in the order of time. False: no memory. */
struct sprof_trace_sink {
	void *data;
	bool (*event)(void *data, const struct sprof_trace_event *event);
};

/*
 * A listener of system calls that makes events of them; a call's result comes with its end. Calls of
 * other architectures, whose numbers mean something else, and those that tracing cuts off have no
 * end. The sink outlives it.
 */
struct sprof_calls_listener sprof_call_events_listener(const struct sprof_trace_sink *sink);

/* A source that makes events of the target's other reports. The sink outlives it. */
struct sprof_event_source sprof_task_events_source(struct sprof_trace_sink *sink);

#endif
