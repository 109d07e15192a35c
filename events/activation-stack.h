/*
 * The watched functions that one thread is in, by the stack pointers at their begins and returns.
 *
 * A stack grows downwards, so what lies below a later stack pointer is over, however it ended. A tail
 * call enters the next function at the same place; returns then come innermost first, at once. Where
 * the next event shows that a call at the same place did not return, it was left before.
 *
 * Frames that lie far below a later stack pointer may be those of another stack, a coroutine's or a
 * signal handler's: they are put aside, and come back when the thread comes back to them.
 */
#ifndef SPROF_EVENTS_ACTIVATION_STACK_H
#define SPROF_EVENTS_ACTIVATION_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/activation-books.h"

/* Where a frame's time goes. */
struct sprof_activation_place {
	uint32_t slot;
	uint64_t mark_ns; /* the slot's time when the frame began */
};

struct sprof_activation_frame {
	uint64_t sp; /* at the function's first instruction */
	uint64_t begin_ns;
	uint64_t since_ns; /* from then on, its time is that of a callee of its caller */
	uint64_t child_ns; /* time in callees, and put aside */
	uint64_t seen_ns;  /* then, it was surely under way */
	uint64_t aside_ns; /* when it was put aside; with those that have the same time */
	uint32_t function;
	uint32_t depth; /* calls of the function within each other, with this one */
	uint32_t call;  /* of the books, or NONE */
	uint32_t tag;   /* for the books' listener; 0: it is not told */
	struct sprof_activation_place own, edge;
	bool is_inherited; /* began in the process that has forked: it is counted there */
	bool is_doubtful;  /* records were lost since it began */
	bool is_kernels;   /* no child is born inside of it */
};

/* Zeroed with its first fields is empty and valid. */
struct sprof_activation_stack {
	struct sprof_activation_books *books;
	uint32_t thread;

	struct sprof_activation_frame *frames; /* the outermost first */
	size_t count, capacity;
	struct sprof_activation_frame *aside;
	size_t aside_count, aside_capacity;
	/* A row of the books as far as it is this thread's. */
	struct sprof_activation_slot {
		uint32_t row;
		uint32_t depth; /* frames of it that are under way */
		uint64_t total_ns;
	} * slots;
	size_t slot_count, slot_capacity;
	struct sprof_idmap index;
	/* A call that has returned, while the next event must tell who has called it. */
	struct sprof_activation_frame returned;
	uint64_t returned_ns;
	bool has_returned;
};

/* A function begins. False: no memory. */
SPROF_MUST_USE bool sprof_activation_stack_enter(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *call, uint64_t now_ns);

/* It has returned; sp is what it was at its begin. False: no memory. */
SPROF_MUST_USE bool sprof_activation_stack_return(
	struct sprof_activation_stack *stack, uint32_t function, uint64_t sp, uint64_t now_ns);

/* A stack pointer for a call that has none of its own: below all that the thread is in. */
uint64_t sprof_activation_stack_below(const struct sprof_activation_stack *stack);
/* The stack pointer of the innermost call of the function; 0: there is none. */
uint64_t sprof_activation_stack_innermost(
	const struct sprof_activation_stack *stack, uint32_t function);

/* A forked thread is inside what its parent was in. False: no memory. */
SPROF_MUST_USE bool sprof_activation_stack_inherit(struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, uint64_t now_ns);

/* Events before this time were lost. False: no memory. */
SPROF_MUST_USE bool sprof_activation_stack_doubt(
	struct sprof_activation_stack *stack, uint64_t until_ns);

/* All calls end: CUT, OPEN or EDGE. False: no memory. */
SPROF_MUST_USE bool sprof_activation_stack_end(
	struct sprof_activation_stack *stack, enum sprof_activation_end end, uint64_t now_ns);

void sprof_activation_stack_finish(struct sprof_activation_stack *stack);

#endif
