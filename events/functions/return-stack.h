/* The return addresses of a thread's open calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/functions/jumps.h"
#include "events/functions/own-stack.h"

struct sprof_return {
	uint64_t address;
	uint64_t sp;  /* after the return */
	uint32_t tag; /* the owner's, of the function */
	bool is_left; /* a jump has left it or its stack */
};

struct sprof_return_list {
	struct sprof_return *items;
	size_t count, capacity;
};

/* Zeroed is empty and valid. */
struct sprof_return_stack {
	struct sprof_own_stack place;       /* set it before the first call */
	struct sprof_return_list own;       /* calls there, outermost first */
	struct sprof_return_list elsewhere; /* calls on other stacks, in any order */
};

/*
 * Adds a call. Drops calls that a longjmp or an exception has left: those below it on the thread's
 * own stack, and those at its place. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_return_stack_enter(
	struct sprof_return_stack *stack, const struct sprof_return *call);

/* Whether a thread that is on its own stack at this sp has left calls. */
bool sprof_return_stack_has_left(const struct sprof_return_stack *stack, uint64_t sp);

/*
 * The thread has reached an address, with this sp. Removes the innermost call that returns there;
 * after tail calls, several return together and are removed one per call. Returns false if none
 * does.
 */
SPROF_MUST_USE bool sprof_return_stack_leave(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, struct sprof_return *ret);

/*
 * The thread jumps: on its own stack, the calls below end. On others it may switch stacks: calls
 * that the jump passes do not return until a jump goes below them.
 */
void sprof_return_stack_jump(struct sprof_return_stack *stack, const struct sprof_jump *jump);
/*
 * An exception handler calls a function with this sp: on the thread's own stack, the calls below
 * end.
 */
void sprof_return_stack_catch(struct sprof_return_stack *stack, uint64_t sp);

/* Forgets all calls. */
void sprof_return_stack_clear(struct sprof_return_stack *stack);

void sprof_return_stack_finish(struct sprof_return_stack *stack);
