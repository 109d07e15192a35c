/*
 * Converts a state to a CFI row. Prefers sp to the frame pointer, because sp is always known. Does
 * not handle a CFA that depends on another register, nor a frame pointer that was saved at a
 * distance unknown from both the CFA and the current frame pointer.
 */
#include "unwind/code/state.h"

enum { WORD = 8 };

bool sprof_code_state_is_root(const struct sprof_code_state *state)
{
	return state->registers[SPROF_CODE_FP].kind == SPROF_CODE_ROOT;
}

void sprof_code_state_forget_root(struct sprof_code_state *state)
{
	if (sprof_code_state_is_root(state))
		state->registers[SPROF_CODE_FP] = (struct sprof_code_value){0};
}

/* A word at a distance from this register that holds an address relative to the CFA. */
static const struct sprof_code_slot *find_cfa_slot(
	const struct sprof_code_state *state, const struct sprof_code_value *reg)
{
	for (uint32_t i = 0; i < state->slot_count; i++) {
		const struct sprof_code_slot *slot = &state->slots[i];

		if (slot->value.kind == SPROF_CODE_CFA && reg->kind == SPROF_CODE_PLACE &&
			slot->at.kind == reg->kind && slot->at.origin == reg->origin)
			return slot;
	}
	return NULL;
}

/* Gets the CFA from a register, or from a word at a distance from this register. */
static bool find_cfa(const struct sprof_code_state *state, unsigned reg, struct sprof_cfi_row *row)
{
	const struct sprof_code_value *value = &state->registers[reg];
	const struct sprof_code_slot *slot = find_cfa_slot(state, value);
	int64_t offset, add = 0;

	if (value->kind == SPROF_CODE_CFA) {
		row->cfa = reg == SPROF_CODE_SP ? SPROF_CFA_SP : SPROF_CFA_FP;
		offset = -value->number;
	} else if (slot) {
		row->cfa = reg == SPROF_CODE_SP ? SPROF_CFA_SP_DEREF : SPROF_CFA_FP_DEREF;
		offset = slot->at.number - value->number;
		add = -slot->value.number;
	} else {
		return false;
	}
	row->cfa_offset = (int32_t)offset;
	row->cfa_add = (int16_t)add;
	return row->cfa_offset == offset && row->cfa_add == add;
}

/*
 * Where the caller's frame pointer is saved in a realigned frame, relative to the current frame
 * pointer.
 */
static const struct sprof_code_slot *find_fp_slot(const struct sprof_code_state *state)
{
	const struct sprof_code_value *fp = &state->registers[SPROF_CODE_FP];

	for (uint32_t i = 0; i < state->slot_count; i++) {
		const struct sprof_code_slot *slot = &state->slots[i];

		if (fp->kind == SPROF_CODE_PLACE && slot->value.kind == SPROF_CODE_CALLERS &&
			slot->at.kind == fp->kind && slot->at.origin == fp->origin &&
			slot->at.number - fp->number == (int32_t)(slot->at.number - fp->number))
			return slot;
	}
	return NULL;
}

static void find_fp(const struct sprof_code_state *state, struct sprof_cfi_row *row)
{
	const struct sprof_code_slot *slot = sprof_code_state_callers_fp(state);
	const struct sprof_code_slot *near = find_fp_slot(state);

	if (sprof_code_state_has_callers_fp(state)) {
		row->fp = SPROF_REG_SAME;
	} else if (slot && slot->at.number == (int32_t)slot->at.number) {
		row->fp = SPROF_REG_SAVED;
		row->fp_offset = (int32_t)slot->at.number;
	} else if (near) {
		row->fp = SPROF_REG_SAVED_AT_FP;
		row->fp_offset =
			(int32_t)(near->at.number - state->registers[SPROF_CODE_FP].number);
	} else {
		row->fp = SPROF_REG_UNDEFINED;
	}
}

struct sprof_cfi_row sprof_code_state_row(const struct sprof_code_state *state)
{
	const struct sprof_code_value *fp = &state->registers[SPROF_CODE_FP];
	struct sprof_cfi_row row = {.ra = SPROF_REG_SAVED, .ra_offset = -WORD};

	find_fp(state, &row);
	if (fp->kind == SPROF_CODE_CFA && fp->number < 0 && fp->number >= -INT16_MAX)
		row.above_fp = (int16_t)-fp->number;
	if (sprof_code_state_is_root(state)) {
		row.cfa = SPROF_CFA_SP;
		row.ra = SPROF_REG_UNDEFINED;
	} else if (!find_cfa(state, SPROF_CODE_SP, &row) && !find_cfa(state, SPROF_CODE_FP, &row)) {
		row.cfa = SPROF_CFA_NONE;
	}
	return row;
}

struct sprof_cfi_row sprof_code_state_row_before_return(const struct sprof_code_state *state)
{
	const struct sprof_code_value *sp = &state->registers[SPROF_CODE_SP];
	const struct sprof_code_value *fp = &state->registers[SPROF_CODE_FP];
	bool is_by_fp = sp->kind == SPROF_CODE_CALLERS;
	int64_t cfa = sp->number + WORD, saved = fp->number - cfa;
	struct sprof_cfi_row row = {.ra = SPROF_REG_SAVED, .ra_offset = -WORD};

	if ((sp->kind != SPROF_CODE_CFA && !is_by_fp) || cfa != (int32_t)cfa)
		return row;
	row.cfa = is_by_fp ? SPROF_CFA_FP : SPROF_CFA_SP;
	row.cfa_offset = (int32_t)cfa;
	row.fp = SPROF_REG_UNDEFINED;
	if (sprof_code_state_has_callers_fp(state))
		row.fp = SPROF_REG_SAME;
	if (fp->kind == (is_by_fp ? SPROF_CODE_FP_WORD : SPROF_CODE_WORD) &&
		saved == (int32_t)saved) {
		row.fp = SPROF_REG_SAVED;
		row.fp_offset = (int32_t)saved;
	}
	return row;
}
