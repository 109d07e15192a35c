/*
 * Matches returns with calls by stack pointer and return address. A thread may use other stacks,
 * such as coroutines': frames far below stay until they return or their stack space is reused.
 * Frames left by a jump over more than NEAR bytes at once stay as well.
 */
#include "events/functions/return-stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	NEAR = 32 * 1024, /* bytes between two calls on one stack, mostly less */
	LOOK = 1024,      /* calls that are looked at */
};

/* Whether a call is gone: sp is above its place, on the same stack. */
static bool is_gone(const struct sprof_return *call, uint64_t sp)
{
	return call->sp < sp && sp - call->sp <= NEAR;
}

static void drop_gone(struct sprof_return_stack *stack, uint64_t sp)
{
	while (stack->count && is_gone(&stack->items[stack->count - 1], sp)) {
		sp = stack->items[stack->count - 1].sp;
		stack->count--;
	}
}

/*
 * A function that jumps to another one leaves its return address to it. Compilers make loops of jumps
 * to the own beginning.
 */
static bool is_replaced(const struct sprof_return *call, const struct sprof_return *by)
{
	return call->sp == by->sp && (call->address != by->address || call->number == by->number);
}

static void drop_at(struct sprof_return_stack *stack, uint64_t sp)
{
	while (stack->count && stack->items[stack->count - 1].sp == sp)
		stack->count--;
}

/* The first of those that are looked at. */
static size_t end_of_look(const struct sprof_return_stack *stack)
{
	return stack->count > LOOK ? stack->count - LOOK : 0;
}

static void take_out(struct sprof_return_stack *stack, size_t index)
{
	struct sprof_return *call = &stack->items[index];

	stack->count--;
	memmove(call, call + 1, (stack->count - index) * sizeof(*call));
}

/* A frame at the place of a new call that is not its caller is gone. */
static void drop_replaced(struct sprof_return_stack *stack, const struct sprof_return *by)
{
	const size_t end = end_of_look(stack);

	if (stack->count && stack->items[stack->count - 1].sp == by->sp) {
		if (is_replaced(&stack->items[stack->count - 1], by))
			drop_at(stack, by->sp);
		return;
	}
	for (size_t i = stack->count; i > end; i--) {
		if (stack->items[i - 1].sp == by->sp)
			take_out(stack, i - 1);
	}
}

bool sprof_return_stack_enter(struct sprof_return_stack *stack, const struct sprof_return *call)
{
	drop_gone(stack, call->sp);
	drop_replaced(stack, call);
	if (!sprof_array_reserve(
		    &stack->items, &stack->capacity, stack->count + 1, sizeof(*stack->items)))
		return false;
	stack->items[stack->count++] = *call;
	return true;
}

bool sprof_return_stack_leave(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, struct sprof_return *ret)
{
	drop_gone(stack, sp);
	for (size_t i = stack->count, end = end_of_look(stack); i > end; i--) {
		const struct sprof_return *call = &stack->items[i - 1];

		if (call->sp != sp || call->address != address)
			continue;
		*ret = *call;
		take_out(stack, i - 1);
		return true;
	}
	return false;
}

void sprof_return_stack_finish(struct sprof_return_stack *stack)
{
	free(stack->items);
	*stack = (struct sprof_return_stack){0};
}
