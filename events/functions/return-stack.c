/*
 * Matches returns with calls by stack pointer and return address. On the thread's own stack, a call
 * below a later sp has ended. Calls on other stacks, such as coroutines', stay until they return or
 * another call has the same place: nothing shows where such a stack ends.
 */
#include "events/functions/return-stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Chooses the list for a call at sp, and drops the ended calls from it. */
static struct sprof_return_list *list_at(struct sprof_return_stack *stack, uint64_t sp)
{
	struct sprof_return_list *own = &stack->own;

	if (!sprof_own_stack_has(&stack->place, sp))
		return &stack->elsewhere;
	while (own->count && own->items[own->count - 1].sp < sp)
		own->count--;
	return own;
}

bool sprof_return_stack_has_left(const struct sprof_return_stack *stack, uint64_t sp)
{
	const struct sprof_return_list *own = &stack->own;

	return own->count && own->items[own->count - 1].sp < sp &&
		sprof_own_stack_has(&stack->place, sp);
}

static void take_out(struct sprof_return_list *list, size_t index)
{
	struct sprof_return *call = &list->items[index];

	list->count--;
	memmove(call, call + 1, (list->count - index) * sizeof(*call));
}

/* The innermost call at this place; SIZE_MAX: none. */
static size_t find_at(
	const struct sprof_return_stack *stack, const struct sprof_return_list *list, uint64_t sp)
{
	for (size_t i = list->count; i; i--) {
		if (list->items[i - 1].sp == sp)
			return i - 1;
		if (list == &stack->own)
			break;
	}
	return SIZE_MAX;
}

/*
 * A tail call leaves the return address to the callee. Otherwise, a new call at the same place
 * shows that the old one has ended.
 */
static void drop_replaced(const struct sprof_return_stack *stack, struct sprof_return_list *list,
	const struct sprof_return *by)
{
	size_t found = find_at(stack, list, by->sp);

	if (found == SIZE_MAX ||
		(list->items[found].address == by->address && list->items[found].tag != by->tag &&
			!list->items[found].is_left))
		return;
	for (; found != SIZE_MAX; found = find_at(stack, list, by->sp))
		take_out(list, found);
}

bool sprof_return_stack_enter(struct sprof_return_stack *stack, const struct sprof_return *call)
{
	struct sprof_return_list *list = list_at(stack, call->sp);

	drop_replaced(stack, list, call);
	if (!sprof_array_reserve(
		    &list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
		return false;
	list->items[list->count++] = *call;
	return true;
}

bool sprof_return_stack_leave(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, struct sprof_return *ret)
{
	struct sprof_return_list *list = list_at(stack, sp);
	const size_t found = find_at(stack, list, sp);

	if (found == SIZE_MAX || list->items[found].address != address ||
		list->items[found].is_left)
		return false;
	*ret = list->items[found];
	take_out(list, found);
	return true;
}

static void drop_own(struct sprof_return_stack *stack, uint64_t to)
{
	struct sprof_return_list *own = &stack->own;

	while (sprof_own_stack_has(&stack->place, to) && own->count &&
		own->items[own->count - 1].sp <= to)
		own->count--;
}

void sprof_return_stack_jump(struct sprof_return_stack *stack, const struct sprof_jump *jump)
{
	struct sprof_return_list *list = &stack->elsewhere;

	drop_own(stack, jump->to);
	for (size_t i = 0; i < list->count; i++) {
		struct sprof_return *call = &list->items[i];

		if (jump->to < jump->from)
			call->is_left &= call->sp < jump->to;
		else
			call->is_left |= call->sp > jump->from && call->sp <= jump->to;
	}
}

void sprof_return_stack_catch(struct sprof_return_stack *stack, uint64_t sp)
{
	drop_own(stack, sp + sizeof(uint64_t));
}

void sprof_return_stack_clear(struct sprof_return_stack *stack)
{
	stack->own.count = stack->elsewhere.count = 0;
}

void sprof_return_stack_finish(struct sprof_return_stack *stack)
{
	free(stack->own.items);
	free(stack->elsewhere.items);
	*stack = (struct sprof_return_stack){0};
}
