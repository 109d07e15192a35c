/*
 * Turns tracepoint records of system calls into the calls that ptrace would report: a call that is
 * interrupted by a signal and restarted is one call.
 */
#pragma once

#include <stddef.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/event-type.h"
#include "events/syscalls/open-calls.h"
#include "events/syscalls/calls.h"

struct tracepoint_caller {
	struct open_calls open_calls;
	uint32_t thread; /* the target's thread id */
	pid_t pid, tid;
	bool is_older; /* existed when tracing began, and no record was seen since */
};

/* Set the listener; the rest zeroed is empty and valid. */
struct sprof_tracepoint_calls {
	struct sprof_calls_listener listener; /* its wants_stack() is not used */
	/* (0, thread id, or tid with a flag bit) -> index in `threads` */
	struct sprof_idmap index;
	struct tracepoint_caller *threads;
	size_t count, capacity;
	uint64_t ended_unseen; /* calls that began before tracing and were unknown */
};

void sprof_tracepoint_calls_finish(struct sprof_tracepoint_calls *calls);

/*
 * Adds a thread that exists before recording, with the call that it is blocked in; NULL: unknown.
 * Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_tracepoint_calls_found(struct sprof_tracepoint_calls *calls,
	const struct sprof_thread *thread, const struct open_call *call);

/*
 * Takes SYS_ENTER and SYS_EXIT in order of time and calls the listener zero or more times. An exit
 * without an entry is dropped. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_tracepoint_calls_add(
	struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *event);

/* The thread has ended, and its calls with it. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_tracepoint_calls_end(
	struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *end);

/* Records were lost: open calls are no longer known. */
void sprof_tracepoint_calls_gap(struct sprof_tracepoint_calls *calls);

/* Tracing ends: reports the known open calls. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_tracepoint_calls_close(
	struct sprof_tracepoint_calls *calls, uint64_t now_ns);
