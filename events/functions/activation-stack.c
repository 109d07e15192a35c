/*
 * Matches starts and returns of functions on one thread. Does not handle two threads on one stack.
 * If the thread's own stack is unknown, a jump over more than NEAR bytes counts as a switch to
 * another stack; calls on the old stack then end with the thread. On other stacks, NEAR only
 * decides which call is the caller: calls return wherever they are.
 */
#include "events/functions/activation-stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "events/functions/activation-rows.h"

enum {
	NEAR = 32 * 1024,    /* the most bytes between two frames of one stack, usually */
	ASIDE_LIMIT = 16384, /* frames that may be of other stacks; each event looks at them */
	CHAIN_LIMIT = 1024,  /* tail calls into each other */
};

static struct sprof_activation_frame *top_of(const struct sprof_activation_stack *stack)
{
	return stack->count ? &stack->frames[stack->count - 1] : NULL;
}

static uint32_t caller_of(const struct sprof_activation_frame *top)
{
	return top ? top->function : SPROF_ACTIVATION_ROOT;
}

static struct sprof_activation_frame pop(struct sprof_activation_stack *stack)
{
	const struct sprof_activation_frame frame = stack->frames[--stack->count];

	stack->slots[frame.own.slot].depth--;
	return frame;
}

static bool drop(
	struct sprof_activation_stack *stack, enum sprof_activation_end end, uint64_t now_ns)
{
	const struct sprof_activation_frame frame = pop(stack);

	return sprof_activation_book(stack, &frame, top_of(stack), end, now_ns);
}

static bool drop_at(struct sprof_activation_stack *stack, uint64_t sp, uint64_t now_ns)
{
	while (stack->count && top_of(stack)->sp == sp) {
		if (!drop(stack, SPROF_ACTIVATION_LEFT, now_ns))
			return false;
	}
	return true;
}

/* The call that has returned was not made by the frame with the same stack pointer. */
static bool change_caller(
	struct sprof_activation_stack *stack, struct sprof_activation_frame *frame, uint64_t now_ns)
{
	const struct sprof_activation_frame *caller;

	if (!drop_at(stack, frame->sp, now_ns))
		return false;
	caller = top_of(stack);
	if (frame->call != SPROF_ACTIVATION_NONE)
		stack->books->calls[frame->call].caller =
			caller ? caller->call : SPROF_ACTIVATION_NONE;
	return sprof_activation_find_place(stack, frame->function, caller_of(caller), &frame->edge);
}

/* is_chained: the frame with the same stack pointer returns, too. */
static bool settle(struct sprof_activation_stack *stack, bool is_chained, uint64_t now_ns)
{
	struct sprof_activation_frame *frame = &stack->returned;

	if (!stack->has_returned)
		return true;
	stack->has_returned = false;
	return (is_chained || change_caller(stack, frame, now_ns)) &&
		sprof_activation_book(
			stack, frame, top_of(stack), SPROF_ACTIVATION_RETURNED, stack->returned_ns);
}

/* If there are too many, some of them will never come back. */
static bool limit_aside(struct sprof_activation_stack *stack, uint64_t now_ns)
{
	const size_t count = stack->aside_count < ASIDE_LIMIT ? 0 : ASIDE_LIMIT / 2;

	for (size_t i = 0; i < count; i++) {
		if (!sprof_activation_book(
			    stack, &stack->aside[i], NULL, SPROF_ACTIVATION_LEFT, now_ns))
			return false;
	}
	stack->aside_count -= count;
	if (count)
		memmove(stack->aside, stack->aside + count,
			stack->aside_count * sizeof(*stack->aside));
	return true;
}

static bool put_aside(struct sprof_activation_stack *stack, size_t first, uint64_t now_ns)
{
	const size_t count = stack->count - first;

	if (!count)
		return true;
	if (first) {
		struct sprof_activation_frame *caller = &stack->frames[first - 1];

		caller->child_ns += sprof_minus(now_ns, stack->frames[first].since_ns);
	}
	if (!limit_aside(stack, now_ns) ||
		!sprof_array_reserve(&stack->aside, &stack->aside_capacity,
			stack->aside_count + count, sizeof(*stack->aside)))
		return false;
	for (size_t i = first; i < first + count; i++) {
		stack->frames[i].aside_ns = now_ns;
		stack->slots[stack->frames[i].own.slot].depth--;
		stack->aside[stack->aside_count++] = stack->frames[i];
	}
	stack->count = first;
	return true;
}

/* Whether two places, `distance` bytes apart, are on one stack, as far as can be known. */
static bool is_one_stack(enum sprof_stack_kind one, enum sprof_stack_kind other, uint64_t distance)
{
	if (one == SPROF_STACK_OWN && other == SPROF_STACK_OWN)
		return true;
	return (one == other || !one || !other) && distance <= NEAR;
}

/*
 * Whether a later event at this place shows that the frame has ended. Other frames may come back.
 */
static bool is_gone(const struct sprof_activation_frame *frame,
	const struct sprof_activation_call *at, uint64_t distance)
{
	return frame->kind != SPROF_STACK_OTHER && at->kind != SPROF_STACK_OTHER &&
		is_one_stack(frame->kind, at->kind, distance);
}

/* Ends the calls below a stack pointer in use, as far as they are on the same stack. */
static bool leave_below(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *at, uint64_t now_ns)
{
	size_t first = stack->count, far;
	uint64_t last = at->sp;

	while (first && stack->frames[first - 1].sp < at->sp)
		first--;
	for (far = first; far < stack->count &&
		is_gone(&stack->frames[far], at, last - stack->frames[far].sp);
		far++)
		last = stack->frames[far].sp;
	if (!put_aside(stack, far, now_ns))
		return false;
	while (stack->count > first) {
		if (!drop(stack, SPROF_ACTIVATION_LEFT, now_ns))
			return false;
	}
	return true;
}

/* Whether a thread at this place may be in the frame. */
static bool may_be_in(
	const struct sprof_activation_frame *frame, const struct sprof_activation_call *at)
{
	return frame->sp >= at->sp && is_one_stack(frame->kind, at->kind, frame->sp - at->sp);
}

/* The nearest frame set aside that a thread at this place may be in; SIZE_MAX: none. */
static size_t find_aside(
	const struct sprof_activation_stack *stack, const struct sprof_activation_call *at)
{
	const struct sprof_activation_frame *top = top_of(stack);
	uint64_t nearest = top && may_be_in(top, at) ? top->sp : UINT64_MAX;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < stack->aside_count; i++) {
		const struct sprof_activation_frame *frame = &stack->aside[i];

		if (frame->sp >= nearest || !may_be_in(frame, at))
			continue;
		found = i;
		nearest = frame->sp;
	}
	return found;
}

/* The last frame of this call that was set aside; SIZE_MAX: none. */
static size_t find_call_aside(
	const struct sprof_activation_stack *stack, const struct sprof_activation_call *call)
{
	for (size_t i = stack->aside_count; i; i--) {
		const struct sprof_activation_frame *frame = &stack->aside[i - 1];

		if (frame->sp == call->sp && frame->function == call->function)
			return i - 1;
	}
	return SIZE_MAX;
}

static bool belong(const struct sprof_activation_stack *stack, size_t one, size_t next)
{
	return next < stack->aside_count &&
		stack->aside[one].aside_ns == stack->aside[next].aside_ns &&
		stack->aside[one].sp >= stack->aside[next].sp;
}

static bool is_below_top(const struct sprof_activation_stack *stack, uint64_t sp)
{
	return !stack->count || sp < top_of(stack)->sp;
}

/* Moves the frames set aside together with this one back onto the stack. */
static bool take_back(struct sprof_activation_stack *stack, size_t found, uint64_t now_ns)
{
	size_t first = found, end = found + 1, count;
	struct sprof_activation_frame *frames;

	while (first && belong(stack, first - 1, first) &&
		is_below_top(stack, stack->aside[first - 1].sp))
		first--;
	while (belong(stack, end - 1, end))
		end++;
	count = end - first;
	if (!sprof_array_reserve(
		    &stack->frames, &stack->capacity, stack->count + count, sizeof(*stack->frames)))
		return false;
	frames = &stack->frames[stack->count];
	memcpy(frames, stack->aside + first, count * sizeof(*frames));
	stack->aside_count -= count;
	memmove(stack->aside + first, stack->aside + end,
		(stack->aside_count - first) * sizeof(*frames));
	for (size_t i = 0; i < count; i++)
		stack->slots[frames[i].own.slot].depth++;
	frames[0].since_ns = now_ns;
	frames[count - 1].child_ns += sprof_minus(now_ns, frames[count - 1].aside_ns);
	stack->count += count;
	return true;
}

/* The innermost frame of this call. SIZE_MAX: none. */
static size_t find(
	const struct sprof_activation_stack *stack, const struct sprof_activation_call *call)
{
	for (size_t i = stack->count; i && stack->frames[i - 1].sp <= call->sp; i--) {
		const struct sprof_activation_frame *frame = &stack->frames[i - 1];

		if (frame->sp == call->sp && frame->function == call->function)
			return i - 1;
	}
	return SIZE_MAX;
}

/* The thread is at this place: on the same stack as before, or back on another one. */
static bool go_to(struct sprof_activation_stack *stack, const struct sprof_activation_call *at,
	bool is_return, uint64_t now_ns)
{
	size_t found = SIZE_MAX;

	if (!leave_below(stack, at, now_ns))
		return false;
	if (stack->aside_count && is_return && find(stack, at) == SIZE_MAX)
		found = find_call_aside(stack, at);
	if (stack->aside_count && !is_return)
		found = find_aside(stack, at);
	return found == SIZE_MAX ||
		(take_back(stack, found, now_ns) && leave_below(stack, at, now_ns));
}

/*
 * Whether the frame with the same stack pointer has ended, rather than being the tail caller.
 * Compilers turn self tail calls into loops.
 */
static bool is_over(const struct sprof_activation_stack *stack, uint32_t function, uint64_t sp)
{
	const struct sprof_activation_frame *top = top_of(stack);

	if (!top || top->sp != sp)
		return false;
	return top->is_doubtful || top->function == function ||
		(stack->count >= CHAIN_LIMIT && stack->frames[stack->count - CHAIN_LIMIT].sp == sp);
}

static bool push(struct sprof_activation_stack *stack, struct sprof_activation_frame *frame)
{
	const uint32_t caller = caller_of(top_of(stack));

	if (!sprof_array_reserve(
		    &stack->frames, &stack->capacity, stack->count + 1, sizeof(*stack->frames)) ||
		!sprof_activation_find_place(
			stack, frame->function, SPROF_ACTIVATION_ANY, &frame->own) ||
		!sprof_activation_find_place(stack, frame->function, caller, &frame->edge))
		return false;
	frame->depth = ++stack->slots[frame->own.slot].depth;
	stack->frames[stack->count++] = *frame;
	return true;
}

bool sprof_activation_stack_enter(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *call, uint64_t now_ns)
{
	const uint32_t function = call->function;
	struct sprof_activation_frame frame = {
		.sp = call->sp,
		.begin_ns = now_ns,
		.since_ns = now_ns,
		.seen_ns = now_ns,
		.function = function,
		.tag = call->tag,
		.kind = call->kind,
		.is_kernels = call->is_kernels,
	};
	struct sprof_activation kept = {
		.thread = stack->thread,
		.function = function,
		.caller = SPROF_ACTIVATION_NONE,
		.end = SPROF_ACTIVATION_OPEN,
		.begin_ns = now_ns,
		.end_ns = now_ns,
	};

	if (!settle(stack, false, now_ns) || !go_to(stack, call, false, now_ns) ||
		(is_over(stack, function, frame.sp) && !drop_at(stack, frame.sp, now_ns)))
		return false;
	if (stack->count)
		kept.caller = top_of(stack)->call;
	return sprof_activation_books_keep(stack->books, &kept, &frame.call) && push(stack, &frame);
}

static bool count_unpaired(struct sprof_activation_stack *stack, uint32_t function)
{
	struct sprof_activation_place own;

	if (!sprof_activation_find_place(stack, function, SPROF_ACTIVATION_ANY, &own))
		return false;
	stack->books->rows[stack->slots[own.slot].row].unpaired++;
	return true;
}

bool sprof_activation_stack_return(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *call, uint64_t now_ns)
{
	const bool is_chained = stack->has_returned && stack->returned.sp == call->sp;
	struct sprof_activation_frame *top;
	size_t found;

	if (!settle(stack, is_chained, now_ns) || !go_to(stack, call, true, now_ns))
		return false;
	found = find(stack, call);
	if (found == SIZE_MAX)
		return count_unpaired(stack, call->function);
	while (stack->count > found + 1) {
		if (!drop(stack, SPROF_ACTIVATION_LEFT, now_ns))
			return false;
	}
	stack->returned = pop(stack);
	sprof_activation_pass_end(stack, &stack->returned, SPROF_ACTIVATION_RETURNED);
	stack->returned.tag = 0;
	top = top_of(stack);
	if (!top || top->sp != call->sp)
		return sprof_activation_book(
			stack, &stack->returned, top, SPROF_ACTIVATION_RETURNED, now_ns);
	stack->has_returned = true;
	stack->returned_ns = now_ns;
	return true;
}

bool sprof_activation_stack_leave(struct sprof_activation_stack *stack,
	const struct sprof_activation_call *at, uint64_t now_ns)
{
	return settle(stack, false, now_ns) && go_to(stack, at, false, now_ns);
}

uint64_t sprof_activation_stack_below(const struct sprof_activation_stack *stack)
{
	return stack->count ? top_of(stack)->sp - 1 : UINT64_MAX / 4;
}

uint64_t sprof_activation_stack_innermost(
	const struct sprof_activation_stack *stack, uint32_t function)
{
	for (size_t i = stack->count; i; i--) {
		if (stack->frames[i - 1].function == function)
			return stack->frames[i - 1].sp;
	}
	return 0;
}

bool sprof_activation_stack_inherit(struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, uint64_t now_ns)
{
	struct sprof_activation_frame copy = {
		.sp = frame->sp,
		.begin_ns = now_ns,
		.since_ns = now_ns,
		.seen_ns = now_ns,
		.function = frame->function,
		.kind = frame->kind,
		.call = SPROF_ACTIVATION_NONE,
		.is_inherited = true,
	};

	return push(stack, &copy);
}

static void doubt(struct sprof_activation_frame *frames, size_t count, uint64_t until_ns)
{
	for (size_t i = 0; i < count; i++)
		frames[i].is_doubtful |= frames[i].begin_ns < until_ns;
}

bool sprof_activation_stack_doubt(struct sprof_activation_stack *stack, uint64_t until_ns)
{
	doubt(stack->frames, stack->count, until_ns);
	doubt(stack->aside, stack->aside_count, until_ns);
	return settle(stack, false, until_ns);
}

bool sprof_activation_stack_end(
	struct sprof_activation_stack *stack, enum sprof_activation_end end, uint64_t now_ns)
{
	const enum sprof_activation_end aside =
		end == SPROF_ACTIVATION_CUT ? SPROF_ACTIVATION_LEFT : end;

	assert(end <= SPROF_ACTIVATION_EDGE && end != SPROF_ACTIVATION_RETURNED);
	if (!settle(stack, false, now_ns))
		return false;
	while (stack->count) {
		if (!drop(stack, end, now_ns))
			return false;
	}
	while (stack->aside_count) {
		if (!sprof_activation_book(
			    stack, &stack->aside[--stack->aside_count], NULL, aside, now_ns))
			return false;
	}
	return true;
}

void sprof_activation_stack_finish(struct sprof_activation_stack *stack)
{
	sprof_idmap_finish(&stack->index);
	free(stack->frames);
	free(stack->aside);
	free(stack->slots);
	*stack = (struct sprof_activation_stack){0};
}
