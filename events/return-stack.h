/*
 * Where the calls of one thread that are under way return to.
 */
#ifndef SPROF_EVENTS_RETURN_STACK_H
#define SPROF_EVENTS_RETURN_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_return {
	uint64_t address;
	uint64_t sp; /* once it has returned */
	int64_t number;
};

/* Zeroed is empty and valid. */
struct sprof_return_stack {
	struct sprof_return *items;
	size_t count, capacity;
};

/*
 * A call begins. Drops what a longjmp or an exception has left: what would return to below its own
 * place. False: no memory.
 */
SPROF_MUST_USE bool sprof_return_stack_enter(
	struct sprof_return_stack *stack, const struct sprof_return *call);

/*
 * The thread has come to an address, with this sp. Takes the innermost call that has returned there;
 * functions that jumped into others return together, one by one. False: none has.
 */
SPROF_MUST_USE bool sprof_return_stack_leave(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, struct sprof_return *ret);

void sprof_return_stack_finish(struct sprof_return_stack *stack);

#endif
