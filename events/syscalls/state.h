/* Private to calls.c and stacks.c: state of threads with traced system calls. */
#pragma once

#include "events/syscalls/open-calls.h"
#include "events/syscalls/calls.h"

enum { CALLS_COST_SHARE = 20 }; /* polling threads takes at most 1/20 of the time */

/* Per thread (struct sprof_thread's calls). */
struct watched_thread {
	struct open_calls open_calls;
	bool is_traced;      /* stops at its system calls */
	bool is_asked;       /* a stop was requested, to begin tracing it */
	bool is_expected;    /* the stack source was prepared for it */
	uint64_t timeslices; /* when tracing began */
	bool has_slept;      /* when tracing began */
	bool is_uncounted;   /* its runs since then are not counted yet */
};

struct sprof_calls {
	struct sprof_calls_options options;
	struct sprof_calls_listener listener;
	struct sprof_target *target;
	const struct sprof_event_stacks *stacks; /* NULL: not wanted */
	uint64_t begin_ns;
	uint64_t next_look_ns; /* next check for threads that have started to run */
	uint64_t next_slow_ns; /* next check for slow calls */
	struct sprof_calls_gaps gaps;
	bool out_of_memory;
};

/* In state.c. The thread's record, created if new. Returns NULL if out of memory. */
struct watched_thread *sprof_calls_watch(struct sprof_calls *calls, struct sprof_thread *thread);

/*
 * In stacks.c. Stores the source of stacks if the listener wants stacks. Returns false if out
 * of memory. Without a source, the functions below do nothing.
 */
bool sprof_call_stacks_take(void *calls, const struct sprof_event_stacks *stacks);
/* Prepares for the thread's stacks. Not while the thread is stopped: it reads files. */
void sprof_call_stack_expect(
	struct sprof_calls *calls, struct sprof_thread *thread, struct watched_thread *watched);
/*
 * At the call's start or end, while the thread is stopped: copies the stack if the listener wants
 * it. Returns true if the caller must walk a copy.
 */
bool sprof_call_stack_copy(
	struct sprof_calls *calls, struct sprof_thread *thread, const struct sprof_call *call);
bool sprof_call_stack_copy_present(
	struct sprof_calls *calls, struct sprof_thread *thread, uint64_t now_ns);
/* Walks the copied stack and returns the sink's id. */
uint32_t sprof_call_stack_walk(struct sprof_calls *calls);
/* Copies and walks the stack of a thread blocked in a call, if the listener wants it. */
void sprof_call_stack_peek(struct sprof_calls *calls, struct sprof_thread *thread, uint64_t now_ns);
/* Takes the stacks of all slow calls and schedules the next check. */
void sprof_call_stacks_look(struct sprof_calls *calls, uint64_t now_ns);
