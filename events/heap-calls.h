/*
 * The calls of allocators that a thread is in. Only the outermost one counts: what an allocator calls
 * in turn is its own affair. A call is known by sp at its entry; calls on other stacks (signals, coroutines)
 * have nothing to do with each other.
 */
#ifndef SPROF_EVENTS_HEAP_CALLS_H
#define SPROF_EVENTS_HEAP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/allocators.h"

struct sprof_heap_call {
	const struct sprof_allocator *allocator;
	uint64_t sp;
	uint64_t pointer, size, alignment; /* as the allocator's row has them; 0: none */
	uint32_t stack;                    /* the id of the event's */
	uint32_t block;                    /* that it resizes; SPROF_HEAP_NONE: none */
	unsigned inner;                    /* calls within it */
	unsigned tails;                    /* calls that have become this one by a jump */
	bool is_doubtful; /* it may have been left: what is below sp may not be within it */
};

enum { SPROF_HEAP_CALLS = 4 };

/* Zeroed is empty and valid. */
struct sprof_heap_calls {
	struct sprof_heap_call open[SPROF_HEAP_CALLS]; /* the latest last */
	size_t count;
	uint64_t late_sp; /* that many returns may still come from calls with this sp */
	unsigned late;
};

/* The innermost call within which code runs that has this sp. NULL: none. */
struct sprof_heap_call *sprof_heap_calls_around(struct sprof_heap_calls *calls, uint64_t sp);

/* Takes one call out that has been left, because its thread now runs above `sp`. False: there is none. */
bool sprof_heap_calls_take_left(
	struct sprof_heap_calls *calls, uint64_t sp, struct sprof_heap_call *ret);

/* Puts a call in. If there is no room, takes the oldest one out: true. */
bool sprof_heap_calls_put(struct sprof_heap_calls *calls, const struct sprof_heap_call *call,
	struct sprof_heap_call *ret_oldest);

/* Takes the call with this sp out, because it has returned. False: there is none. */
bool sprof_heap_calls_take(
	struct sprof_heap_calls *calls, uint64_t sp, struct sprof_heap_call *ret);

/* Whether a call with this sp returns that had become another one, which has returned. */
bool sprof_heap_calls_take_late(struct sprof_heap_calls *calls, uint64_t sp);

/* Another call has been made within this one; of too many, the call was probably left before them. */
void sprof_heap_call_count(struct sprof_heap_call *call);

/* The calls around this sp may end without a return. */
void sprof_heap_calls_doubt(struct sprof_heap_calls *calls, uint64_t sp);

#endif
