/*
 * System calls as the tracepoints tell them, made what ptrace tells: a call that a signal breaks off
 * and that is restarted is one call.
 */
#ifndef SPROF_EVENTS_TRACEPOINT_CALLS_H
#define SPROF_EVENTS_TRACEPOINT_CALLS_H

#include <stddef.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/call-events.h"
#include "events/caller.h"

/* Zeroed is empty and valid. */
struct sprof_tracepoint_calls {
	struct sprof_idmap index; /* (0, tid) -> caller */
	struct caller *callers;
	size_t count, capacity;
};

void sprof_tracepoint_calls_finish(struct sprof_tracepoint_calls *calls);

/*
 * Takes a SYS_ENTER or SYS_EXIT of the kernel, in the order of time, and gives the sink what becomes
 * of it: no event, one or several. An end whose begin was not seen is left out. False: no memory.
 */
SPROF_MUST_USE bool sprof_tracepoint_calls_add(struct sprof_tracepoint_calls *calls,
	const struct sprof_trace_event *event, const struct sprof_trace_sink *sink);

#endif
