/*
 * Matches returns with calls by the stack pointer. Does not know other stacks than the one that a thread
 * runs on: a signal stack or a coroutine's looks like very deep or very shallow calls, so calls are
 * only dropped within one stack's usual size.
 */
#include "events/return-stack.h"

#include <stdlib.h>

#include "base/array.h"

enum { STACK_SIZE = 8 << 20 };

/* Whether a frame at this place is gone: sp is above it, on the same stack. */
static bool is_gone(const struct sprof_return *call, uint64_t sp)
{
	return call->sp < sp && sp - call->sp < STACK_SIZE;
}

static void drop_gone(struct sprof_return_stack *stack, uint64_t sp)
{
	while (stack->count && is_gone(&stack->items[stack->count - 1], sp))
		stack->count--;
}

bool sprof_return_stack_enter(struct sprof_return_stack *stack, const struct sprof_return *call)
{
	drop_gone(stack, call->sp);
	if (!sprof_array_reserve(
		    &stack->items, &stack->capacity, stack->count + 1, sizeof(*stack->items)))
		return false;
	stack->items[stack->count++] = *call;
	return true;
}

bool sprof_return_stack_leave(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, struct sprof_return *ret)
{
	const struct sprof_return *last;

	drop_gone(stack, sp);
	if (!stack->count)
		return false;
	last = &stack->items[stack->count - 1];
	if (last->address != address || last->sp != sp)
		return false;
	*ret = *last;
	stack->count--;
	return true;
}

void sprof_return_stack_finish(struct sprof_return_stack *stack)
{
	free(stack->items);
	*stack = (struct sprof_return_stack){0};
}
