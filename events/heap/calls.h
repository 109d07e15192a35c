/*
 * The open allocator calls of one thread. Only the outermost call counts; calls that an allocator
 * makes itself don't. A call is identified by its sp at entry. Calls on different stacks (signal
 * handlers, coroutines) are independent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/heap/allocators.h"

struct sprof_heap_call {
	const struct sprof_allocator *allocator;
	uint64_t sp;
	uint64_t pointer, size, alignment; /* selected by the allocator's row; 0: none */
	uint32_t stack;                    /* the event's stack id */
	uint32_t block;                    /* the block that it resizes; SPROF_HEAP_NONE: none */
	unsigned inner;                    /* calls inside it */
	unsigned tails;                    /* tail calls that replaced this call */
	/* may have ended without a return, so calls below its sp may not be inside it */
	bool is_doubtful;
};

enum { SPROF_HEAP_CALLS = 4 };

/* Zeroed is empty and valid. */
struct sprof_heap_calls {
	struct sprof_heap_call open[SPROF_HEAP_CALLS]; /* latest last */
	size_t count;
	uint64_t late_sp; /* this many returns with this sp may still come */
	unsigned late;
	/* The address freed by the last call if it was a free, and its sp. */
	uint64_t freed, freed_sp;
};

/* The innermost call that contains code running at this sp; NULL: none. */
struct sprof_heap_call *sprof_heap_calls_around(struct sprof_heap_calls *calls, uint64_t sp);

/*
 * Removes a call that was left (longjmp, exception), because its thread now runs above `sp`.
 * Returns false if there is none.
 */
bool sprof_heap_calls_take_left(
	struct sprof_heap_calls *calls, uint64_t sp, struct sprof_heap_call *ret);

/* Adds a call. If there is no room, removes the oldest one and returns true. */
bool sprof_heap_calls_put(struct sprof_heap_calls *calls, const struct sprof_heap_call *call,
	struct sprof_heap_call *ret_oldest);

/* The call with this sp has returned: removes it. Returns false if there is none. */
bool sprof_heap_calls_take(
	struct sprof_heap_calls *calls, uint64_t sp, struct sprof_heap_call *ret);

/*
 * Whether this return belongs to a call that made a tail call, and was removed when the callee
 * returned.
 */
bool sprof_heap_calls_take_late(struct sprof_heap_calls *calls, uint64_t sp);

/* Whether this free continues the previous call (same pointer, tail call or callee). */
bool sprof_heap_calls_free(struct sprof_heap_calls *calls, uint64_t pointer, uint64_t sp);

/*
 * Counts a call inside this one. After too many, the outer call was probably left without a return.
 */
void sprof_heap_call_count(struct sprof_heap_call *call);

/* Marks the calls around this sp: they may end without a return. */
void sprof_heap_calls_doubt(struct sprof_heap_calls *calls, uint64_t sp);
