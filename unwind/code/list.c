/*
 * The rows of a function after its paths were followed: the state of each instruction, by offset.
 * Neighbours with equal rows are merged.
 *
 * A failure without an error here means out of memory.
 */
#include "unwind/code/flow-internal.h"

#include <stdlib.h>

#include "base/array.h"

void sprof_code_rows_finish(struct sprof_code_rows *rows)
{
	free(rows->items);
	*rows = (struct sprof_code_rows){0};
}

/* Builds the rows, in the order of the instructions' offsets. */
struct listing {
	struct sprof_code_state state;
	bool is_reached;
	struct sprof_code_rows *rows;
};

static bool is_same_row(const struct sprof_cfi_row *one, const struct sprof_cfi_row *other)
{
	return one->cfa == other->cfa &&
		(one->cfa == SPROF_CFA_NONE ||
			(one->cfa_offset == other->cfa_offset && one->cfa_add == other->cfa_add &&
				one->above_fp == other->above_fp && one->ra == other->ra &&
				one->fp == other->fp && one->fp_offset == other->fp_offset));
}

static bool list_row(struct sprof_code_rows *rows, uint32_t offset, struct sprof_cfi_row row)
{
	if (rows->count && is_same_row(&rows->items[rows->count - 1].row, &row))
		return true;
	return SPROF_ARRAY_APPEND(rows->items, rows->count, rows->capacity,
		(struct sprof_code_row){.offset = offset, .row = row});
}

static bool goes_on(const struct sprof_code_flow *flow, const struct sprof_instruction *instruction,
	uint32_t at)
{
	return instruction->effect != SPROF_EFFECT_RETURN &&
		instruction->effect != SPROF_EFFECT_STOP &&
		instruction->effect != SPROF_EFFECT_JUMP &&
		instruction->effect != SPROF_EFFECT_JUMP_REGISTER &&
		instruction->effect != SPROF_EFFECT_JUMP_MEMORY && !flow->places[at].end;
}

/* The number of bytes listed; 0: no memory. */
static uint32_t list_at(const struct sprof_code_flow *flow, struct listing *listing, uint32_t at)
{
	const struct place *place = &flow->places[at];
	const struct sprof_instruction *instruction;

	if (place->block) {
		listing->state = flow->blocks[place->block - 1].in;
		if (flow->has_caller)
			sprof_code_state_forget_root(&listing->state);
		listing->is_reached = true;
	}
	if (!listing->is_reached || !place->instruction || !place->owner) {
		listing->is_reached = false;
		return list_row(listing->rows, at, (struct sprof_cfi_row){.cfa = SPROF_CFA_NONE})
			? 1
			: 0;
	}
	instruction = &flow->instructions[place->instruction - 1];
	if (!list_row(listing->rows, at, sprof_code_state_row(&listing->state)))
		return 0;
	sprof_code_state_apply(&listing->state, instruction, at);
	if (flow->has_caller)
		sprof_code_state_forget_root(&listing->state);
	if (instruction->effect == SPROF_EFFECT_BRANCH)
		sprof_code_state_branch(&listing->state, instruction, false);
	listing->is_reached = goes_on(flow, instruction, at);
	return instruction->length;
}

bool sprof_code_list(const struct sprof_code_flow *flow, struct sprof_code_rows *rows)
{
	struct listing listing = {.rows = rows};
	uint32_t length;

	for (uint32_t at = 0; at < flow->code->size; at += length) {
		length = list_at(flow, &listing, at);
		if (!length)
			return false;
	}
	return true;
}
