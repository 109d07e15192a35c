/*
 * The watched functions that one thread is currently in, tracked by the stack pointer at each begin
 * and return.
 *
 * The stack grows downwards, so a call whose frame lies below a later stack pointer has ended,
 * whether or not its return was seen. After a tail call the callee has the same stack pointer as
 * its caller; their returns arrive together, innermost first. If the next event shows that a call
 * with the same stack pointer did not return, the call was left (longjmp, exception).
 *
 * That holds on the thread's own stack. Frames below a later stack pointer elsewhere may belong to
 * another stack (a coroutine, a signal handler). They are set aside, and come back when the thread
 * returns to that stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/functions/activation-books.h"

/* The row that a frame's time is added to. */
struct sprof_activation_place {
	uint32_t slot;
	uint64_t mark_ns; /* the slot's time when the frame began */
};

struct sprof_activation_frame {
	uint64_t sp; /* at the function's first instruction */
	uint64_t begin_ns;
	uint64_t since_ns; /* its caller's child time is counted from here */
	uint64_t child_ns; /* time in callees, and while set aside */
	uint64_t seen_ns;  /* last time at which it was known to be running */
	uint64_t aside_ns; /* when it was set aside; frames set aside together have the same time */
	uint32_t function;
	uint32_t depth; /* recursion depth of the function, including this call */
	uint32_t call;  /* index in the books' list of calls, or NONE */
	uint32_t tag;   /* for the books' `ended`; 0: do not report */
	enum sprof_stack_kind kind;
	struct sprof_activation_place own, edge;
	bool is_inherited; /* inherited by fork: counted in the parent process */
	bool is_doubtful;  /* records were lost since it began */
	bool is_kernels;   /* the kernel's own call: a forked child does not inherit it */
};

/* Set `books`, `slots` and the fields before them; the rest zeroed is empty and valid. */
struct sprof_activation_stack {
	struct sprof_activation_books *books;
	uint32_t thread;

	struct sprof_activation_frame *frames; /* outermost first */
	size_t count, capacity;
	struct sprof_activation_frame *aside;
	size_t aside_count, aside_capacity;
	/* This thread's part of a row of the books. */
	struct sprof_activation_slot {
		uint32_t row;
		uint32_t depth;  /* open frames of this row */
		bool is_counted; /* among the row's threads */
		uint64_t total_ns;
	} * slots;
	size_t slot_count, slot_capacity;
	struct sprof_idmap index;
	/* A call that has returned; its caller is known only with the next event. */
	struct sprof_activation_frame returned;
	uint64_t returned_ns;
	bool has_returned;
};

/* A function begins. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_stack_enter(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *call, uint64_t now_ns);

/* Ends a call; sp is the stack pointer at its start. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_stack_return(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *call, uint64_t now_ns);

/*
 * The thread jumps there: the calls below on that stack are left. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_activation_stack_leave(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *at, uint64_t now_ns);

/* A stack pointer for a call whose event has none: below all open frames. */
uint64_t sprof_activation_stack_below(const struct sprof_activation_stack *stack);
/* The stack pointer of the innermost open call of the function; 0: none. */
uint64_t sprof_activation_stack_innermost(
	const struct sprof_activation_stack *stack, uint32_t function);

/* Copies the parent's open calls to a forked thread. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_stack_inherit(struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, uint64_t now_ns);

/* Records before until_ns were lost: open calls become doubtful. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_stack_doubt(
	struct sprof_activation_stack *stack, uint64_t until_ns);

/* Ends all open calls with CUT, OPEN or EDGE. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_stack_end(
	struct sprof_activation_stack *stack, enum sprof_activation_end end, uint64_t now_ns);

void sprof_activation_stack_finish(struct sprof_activation_stack *stack);
