/*
 * Turns the target's reports into events of the catalogue: system calls, thread births and ends,
 * execs, signals.
 */
#pragma once

#include <stdbool.h>

#include "events/event-type.h"
#include "events/syscalls/calls.h"

/* Receives the events in order of time. Returns false if out of memory. */
struct sprof_trace_sink {
	void *data;
	bool (*event)(void *data, const struct sprof_trace_event *event);
};

/*
 * A listener of system calls that turns them into events; the result comes with the end. There is
 * no end event for calls of other architectures (their numbers differ) and for calls cut off by the
 * end of tracing. The sink must outlive the listener.
 */
struct sprof_calls_listener sprof_call_events_listener(const struct sprof_trace_sink *sink);

/* A source that turns all other reports into events. The sink must outlive it. */
struct sprof_event_source sprof_task_events_source(struct sprof_trace_sink *sink);
