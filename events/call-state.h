/*
 * Private to calls.c and call-stacks.c: what is known of the threads whose calls are traced.
 */
#ifndef SPROF_EVENTS_CALL_STATE_H
#define SPROF_EVENTS_CALL_STATE_H

#include "events/caller.h"
#include "events/calls.h"

enum { CALLS_COST_SHARE = 20 }; /* looks at threads take at most this part of the time */

/* Of a thread (struct sprof_thread's calls). */
struct watched_thread {
	struct caller caller;
	bool is_traced;      /* it stops at its calls */
	bool is_asked;       /* it was asked to stop, so that it will be */
	bool is_expected;    /* by the source of stacks */
	uint64_t timeslices; /* when tracing began */
};

struct sprof_calls {
	struct sprof_calls_options options;
	struct sprof_calls_listener listener;
	struct sprof_target *target;
	const struct sprof_event_stacks *stacks; /* NULL: not wanted */
	uint64_t begin_ns;
	uint64_t next_look_ns; /* when to look for threads that run now */
	uint64_t next_slow_ns; /* when to look for slow calls */
	struct sprof_calls_gaps gaps;
	bool out_of_memory;
};

/* call-state.c: the thread's record, created if new. NULL: no memory. */
struct watched_thread *sprof_calls_watch(struct sprof_calls *calls, struct sprof_thread *thread);

/*
 * call-stacks.c. Takes the source of stacks, if the listener wants any; false: no memory. All others
 * do nothing without it, or note that memory is short.
 */
bool sprof_call_stacks_take(void *calls, const struct sprof_event_stacks *stacks);
/* A thread whose stacks may be wanted: not while it stands still. */
void sprof_call_stack_expect(
	struct sprof_calls *calls, struct sprof_thread *thread, struct watched_thread *watched);
/*
 * While the thread stands still at the call's begin, or at the end of the call that it is in: copies
 * its stack if that is wanted. True: the copy is to be walked.
 */
bool sprof_call_stack_copy(
	struct sprof_calls *calls, struct sprof_thread *thread, const struct sprof_call *call);
bool sprof_call_stack_copy_present(
	struct sprof_calls *calls, struct sprof_thread *thread, uint64_t now_ns);
/* The stack that was copied, as the sink knows it. */
uint32_t sprof_call_stack_walk(struct sprof_calls *calls);
/* The stack of the call that the thread sleeps in, if it is wanted. */
void sprof_call_stack_peek(struct sprof_calls *calls, struct sprof_thread *thread, uint64_t now_ns);
/* The stacks of all calls that are slow already; plans the next look. */
void sprof_call_stacks_look(struct sprof_calls *calls, uint64_t now_ns);

#endif
