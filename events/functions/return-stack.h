/* The return addresses of a thread's open calls. */
#ifndef SPROF_EVENTS_FUNCTIONS_RETURN_STACK_H
#define SPROF_EVENTS_FUNCTIONS_RETURN_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_return {
	uint64_t address;
	uint64_t sp; /* after the return */
	int64_t number;
};

/* Zeroed is empty and valid. */
struct sprof_return_stack {
	struct sprof_return *items;
	size_t count, capacity;
};

/*
 * Adds a call. Drops frames that a longjmp or an exception has left: those that would return below
 * this call's frame. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_return_stack_enter(
	struct sprof_return_stack *stack, const struct sprof_return *call);

/*
 * The thread has reached an address, with this sp. Removes the innermost call that returns there;
 * after tail calls, several return together and are removed one per call. Returns false if none
 * does.
 */
SPROF_MUST_USE bool sprof_return_stack_leave(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, struct sprof_return *ret);

void sprof_return_stack_finish(struct sprof_return_stack *stack);

#endif
