/*
 * Counts calls in the rows of their functions and callers, by the weight of the books.
 *
 * A row's total uses marks: a frame saves the slot's time at its start, and at its return sets it
 * to the saved time plus its own duration. So nested calls count once, even if the outer call does
 * not return. For alternating coroutines, the total is at least the time of one.
 */
#include "events/functions/activation-rows.h"

#include "base/array.h"
#include "base/numbers.h"

bool sprof_activation_find_place(struct sprof_activation_stack *stack, uint32_t function,
	uint32_t caller, struct sprof_activation_place *ret)
{
	struct sprof_activation_slot slot = {0};
	const uint32_t known = sprof_idmap_find(&stack->index, function, caller);

	if (known != SPROF_IDMAP_NONE) {
		*ret = (struct sprof_activation_place){known, stack->slots[known].total_ns};
		return true;
	}
	if (!sprof_array_reserve(&stack->slots, &stack->slot_capacity, stack->slot_count + 1,
		    sizeof(*stack->slots)) ||
		!sprof_activation_books_row(
			stack->books, stack->thread, function, caller, &slot.row) ||
		!sprof_idmap_put(&stack->index, function, caller, (uint32_t)stack->slot_count))
		return false;
	*ret = (struct sprof_activation_place){.slot = (uint32_t)stack->slot_count};
	stack->slots[stack->slot_count++] = slot;
	return true;
}

static void add_total(struct sprof_activation_slot *slot, struct sprof_activation_row *row,
	uint64_t weight, uint64_t total_ns)
{
	if (total_ns <= slot->total_ns)
		return;
	row->total_ns += weight * (total_ns - slot->total_ns);
	slot->total_ns = total_ns;
}

static bool count_in(struct sprof_activation_stack *stack,
	const struct sprof_activation_place *place, const struct sprof_activation_frame *frame,
	enum sprof_activation_end end, uint64_t end_ns)
{
	struct sprof_activation_slot *slot = &stack->slots[place->slot];
	struct sprof_activation_row *row = &stack->books->rows[slot->row];
	const uint64_t ns = sprof_minus(end_ns, frame->begin_ns), weight = stack->books->weight;

	row->threads += !slot->is_counted;
	slot->is_counted = true;
	row->ends[end] += weight;
	row->nested += frame->depth > 1 ? weight : 0;
	if (frame->depth > row->deepest)
		row->deepest = frame->depth;
	if (!sprof_activation_is_timed(end))
		return true;
	row->self_ns += weight * sprof_minus(ns, frame->child_ns);
	add_total(slot, row, weight, place->mark_ns + ns);
	return end != SPROF_ACTIVATION_RETURNED ||
		sprof_histogram_add_times(&row->whole, ns, weight);
}

/* Updates the caller's child time; if the duration is unknown, by the callees' known part. */
static void pass_to_caller(struct sprof_activation_frame *caller,
	const struct sprof_activation_frame *frame, enum sprof_activation_end end, uint64_t end_ns)
{
	const bool is_timed = sprof_activation_is_timed(end);
	const uint64_t seen_ns = is_timed ? end_ns : frame->seen_ns;

	if (!caller)
		return;
	caller->child_ns += is_timed ? sprof_minus(end_ns, frame->since_ns) : frame->child_ns;
	if (seen_ns > caller->seen_ns)
		caller->seen_ns = seen_ns;
}

static void keep_end(struct sprof_activation_books *books,
	const struct sprof_activation_frame *frame, enum sprof_activation_end end, uint64_t end_ns)
{
	if (frame->call == SPROF_ACTIVATION_NONE)
		return;
	books->calls[frame->call].end = end;
	books->calls[frame->call].end_ns = sprof_activation_is_timed(end) ? end_ns : frame->seen_ns;
}

static enum sprof_activation_end end_of(
	const struct sprof_activation_frame *frame, enum sprof_activation_end end)
{
	return frame->is_doubtful ? SPROF_ACTIVATION_LOST : end;
}

void sprof_activation_pass_end(const struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, enum sprof_activation_end end)
{
	if (frame->tag)
		stack->books->ended(stack->books->data, frame->tag, end_of(frame, end));
}

bool sprof_activation_book(struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, struct sprof_activation_frame *caller,
	enum sprof_activation_end how, uint64_t end_ns)
{
	const enum sprof_activation_end end = end_of(frame, how);

	sprof_activation_pass_end(stack, frame, how);
	pass_to_caller(caller, frame, end, end_ns);
	keep_end(stack->books, frame, end, end_ns);
	return frame->is_inherited ||
		(count_in(stack, &frame->own, frame, end, end_ns) &&
			count_in(stack, &frame->edge, frame, end, end_ns));
}
