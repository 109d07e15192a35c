/*
 * System calls as the tracepoints tell them, made what ptrace tells: a call that a signal breaks off
 * and that is restarted is one call.
 */
#ifndef SPROF_EVENTS_TRACEPOINT_CALLS_H
#define SPROF_EVENTS_TRACEPOINT_CALLS_H

#include <stddef.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/caller.h"
#include "events/calls.h"
#include "events/event-type.h"

struct tracepoint_caller {
	struct caller caller;
	uint32_t thread; /* its id in the target */
	pid_t pid, tid;
	bool is_older; /* it was there when tracing began, and nothing was seen of it since */
};

/* Zeroed, with a listener, is empty and valid. */
struct sprof_tracepoint_calls {
	struct sprof_calls_listener listener; /* not asked which calls have stacks */
	/* (0, the thread's id, or its tid behind a bit) -> place in threads */
	struct sprof_idmap index;
	struct tracepoint_caller *threads;
	size_t count, capacity;
	uint64_t ended_unseen; /* calls that began before tracing did and were not known */
};

void sprof_tracepoint_calls_finish(struct sprof_tracepoint_calls *calls);

/*
 * A thread that is there before its tracepoints are recorded, with the call that it sleeps in; NULL:
 * none is known. False: no memory.
 */
SPROF_MUST_USE bool sprof_tracepoint_calls_found(struct sprof_tracepoint_calls *calls,
	const struct sprof_thread *thread, const struct open_call *call);

/*
 * Takes a SYS_ENTER or SYS_EXIT of the kernel, in the order of time, and tells the listener what
 * becomes of it: nothing, one thing or several. An end whose begin was not seen is left out. False:
 * no memory.
 */
SPROF_MUST_USE bool sprof_tracepoint_calls_add(
	struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *event);

/* The event's thread has ended then, and its calls with it. False: no memory. */
SPROF_MUST_USE bool sprof_tracepoint_calls_end(
	struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *end);

/* Records were lost: which calls go on is not known any more. */
void sprof_tracepoint_calls_gap(struct sprof_tracepoint_calls *calls);

/* Tracing ends: all calls that are known go on. False: no memory. */
SPROF_MUST_USE bool sprof_tracepoint_calls_close(
	struct sprof_tracepoint_calls *calls, uint64_t now_ns);

#endif
