/*
 * The effect of each instruction on a state. Assumes that calls restore sp and the registers that
 * the ABI preserves, and that saved registers are not overwritten through a pointer. Does not
 * handle an sp or fp other than the caller's.
 */
#include "unwind/code/state.h"

#include <string.h>

enum { WORD = 8 };

static const struct sprof_code_value unknown;

static struct sprof_code_value *sp_of(struct sprof_code_state *state)
{
	return &state->registers[SPROF_CODE_SP];
}

void sprof_code_state_init(struct sprof_code_state *state)
{
	memset(state, 0, sizeof(*state));
	state->registers[SPROF_CODE_SP] =
		(struct sprof_code_value){.kind = SPROF_CODE_CFA, .number = -WORD};
	state->registers[SPROF_CODE_FP] = (struct sprof_code_value){.kind = SPROF_CODE_CALLERS};
	state->compared = state->compared_with = SPROF_CODE_NO_REGISTER;
}

void sprof_code_state_init_anywhere(struct sprof_code_state *state)
{
	sprof_code_state_init(state);
	state->registers[SPROF_CODE_SP].number = 0;
}

static bool is_on_stack(const struct sprof_code_value *value)
{
	return value->kind == SPROF_CODE_CFA || value->kind == SPROF_CODE_PLACE;
}

static bool is_worth_a_slot(const struct sprof_code_value *value)
{
	return value->kind == SPROF_CODE_CFA ||
		(value->kind == SPROF_CODE_CALLERS && !value->number);
}

static bool is_same_value(const struct sprof_code_value *one, const struct sprof_code_value *other)
{
	return one->kind == other->kind && one->number == other->number &&
		one->origin == other->origin && one->size == other->size;
}

static bool is_same_stack(const struct sprof_code_value *one, const struct sprof_code_value *other)
{
	return one->kind == other->kind && one->origin == other->origin;
}

static struct sprof_code_value plus(struct sprof_code_value value, int64_t by)
{
	bool is_fixed = value.kind == SPROF_CODE_WORD || value.kind == SPROF_CODE_FP_WORD ||
		value.kind == SPROF_CODE_ROOT;

	if (value.kind == SPROF_CODE_ENTRY || value.kind == SPROF_CODE_TARGET || (is_fixed && by))
		return unknown;
	/* Numbers may wrap in broken code. Then they are only compared. */
	if (value.kind != SPROF_CODE_UNKNOWN)
		value.number = (int64_t)((uint64_t)value.number + (uint64_t)by);
	return value;
}

static void remove_slot(struct sprof_code_state *state, uint32_t index)
{
	state->slots[index] = state->slots[--state->slot_count];
	memset(&state->slots[state->slot_count], 0, sizeof(state->slots[0]));
}

static bool overlaps(
	const struct sprof_code_slot *slot, const struct sprof_code_value *at, int64_t size)
{
	return is_same_stack(&slot->at, at) && slot->at.number < at->number + size &&
		at->number < slot->at.number + WORD;
}

/* These bytes now hold something else. */
static void forget(struct sprof_code_state *state, const struct sprof_code_value *at, int64_t size)
{
	for (uint32_t i = state->slot_count; i-- > 0;) {
		if (overlaps(&state->slots[i], at, size))
			remove_slot(state, i);
	}
}

static void write_word(struct sprof_code_state *state, struct sprof_code_value at, int64_t size,
	struct sprof_code_value value)
{
	if (!is_on_stack(&at))
		return;
	forget(state, &at, size);
	if (size != WORD || !is_worth_a_slot(&value) || state->slot_count == SPROF_CODE_SLOTS)
		return;
	state->slots[state->slot_count++] = (struct sprof_code_slot){.at = at, .value = value};
}

static struct sprof_code_value read_word(
	const struct sprof_code_state *state, struct sprof_code_value at)
{
	for (uint32_t i = 0; i < state->slot_count; i++) {
		if (is_on_stack(&at) && is_same_value(&state->slots[i].at, &at))
			return state->slots[i].value;
		if (overlaps(&state->slots[i], &at, WORD))
			return unknown;
	}
	if (at.kind == SPROF_CODE_CFA)
		return (struct sprof_code_value){.kind = SPROF_CODE_WORD, .number = at.number};
	if (at.kind == SPROF_CODE_CALLERS)
		return (struct sprof_code_value){.kind = SPROF_CODE_FP_WORD, .number = at.number};
	return unknown;
}

/* If several words hold it, takes the one nearest to the CFA. */
const struct sprof_code_slot *sprof_code_state_callers_fp(const struct sprof_code_state *state)
{
	const struct sprof_code_slot *found = NULL;

	for (uint32_t i = 0; i < state->slot_count; i++) {
		const struct sprof_code_slot *slot = &state->slots[i];

		if (slot->value.kind == SPROF_CODE_CALLERS && slot->at.kind == SPROF_CODE_CFA &&
			(!found || slot->at.number > found->at.number))
			found = slot;
	}
	return found;
}

/* A new place: values relative to an older place of the same origin are now invalid. */
static void start_place(struct sprof_code_state *state, uint32_t offset)
{
	struct sprof_code_value place = {.kind = SPROF_CODE_PLACE, .origin = offset};

	for (unsigned i = 0; i < SPROF_CODE_REGISTERS; i++) {
		if (is_same_stack(&state->registers[i], &place))
			state->registers[i] = unknown;
	}
	for (uint32_t i = state->slot_count; i-- > 0;) {
		if (is_same_stack(&state->slots[i].at, &place))
			remove_slot(state, i);
	}
	*sp_of(state) = place;
}

static void set(struct sprof_code_state *state, uint8_t reg, struct sprof_code_value value)
{
	if (reg < SPROF_CODE_REGISTERS)
		state->registers[reg] = value;
}

static struct sprof_code_value get(const struct sprof_code_state *state, uint8_t reg)
{
	return reg < SPROF_CODE_REGISTERS ? state->registers[reg] : unknown;
}

/* Without a base register the address is a constant. */
static struct sprof_code_value address_of(
	const struct sprof_code_state *state, uint8_t base, int64_t value)
{
	struct sprof_code_value none = {.kind = SPROF_CODE_CONSTANT};

	return plus(base < SPROF_CODE_REGISTERS ? state->registers[base] : none, value);
}

static struct sprof_code_value loaded(
	const struct sprof_code_state *state, const struct sprof_instruction *load)
{
	struct sprof_code_value at = address_of(state, load->from, load->value);

	if (load->index != SPROF_CODE_NO_REGISTER && at.kind == SPROF_CODE_CONSTANT &&
		load->scale == load->size && (load->size == 4 || load->size == WORD))
		return (struct sprof_code_value){
			.kind = SPROF_CODE_ENTRY, .number = at.number, .size = load->size};
	if (load->index != SPROF_CODE_NO_REGISTER || load->size != WORD)
		return unknown;
	return read_word(state, at);
}

/* A table's entry plus the table's address is the jump's target. */
static struct sprof_code_value sum(
	const struct sprof_code_value *one, const struct sprof_code_value *other)
{
	const struct sprof_code_value *entry = one->kind == SPROF_CODE_ENTRY ? one : other;
	const struct sprof_code_value *base = entry == one ? other : one;
	struct sprof_code_value target = *entry;

	if (entry->kind != SPROF_CODE_ENTRY || base->kind != SPROF_CODE_CONSTANT ||
		entry->size != 4 || base->number != entry->number)
		return unknown;
	target.kind = SPROF_CODE_TARGET;
	return target;
}

static void push(struct sprof_code_state *state, struct sprof_code_value value, int64_t size)
{
	*sp_of(state) = plus(*sp_of(state), -size);
	write_word(state, *sp_of(state), size, value);
}

static void pop(struct sprof_code_state *state, uint8_t to, int64_t size)
{
	struct sprof_code_value value = size == WORD ? read_word(state, *sp_of(state)) : unknown;

	*sp_of(state) = plus(*sp_of(state), size);
	set(state, to, value);
}

static void enter(struct sprof_code_state *state, int64_t room)
{
	push(state, get(state, SPROF_CODE_FP), WORD);
	set(state, SPROF_CODE_FP, *sp_of(state));
	*sp_of(state) = plus(*sp_of(state), -room);
}

static void leave(struct sprof_code_state *state)
{
	*sp_of(state) = get(state, SPROF_CODE_FP);
	pop(state, SPROF_CODE_FP, WORD);
}

/* A called function sets the flags too. */
static void forget_comparison(
	struct sprof_code_state *state, const struct sprof_instruction *instruction)
{
	uint16_t changed = instruction->changed;

	if (instruction->sets_flags || instruction->effect == SPROF_EFFECT_CALL ||
		(state->compared < SPROF_CODE_REGISTERS && (changed >> state->compared & 1)) ||
		(state->compared_with < SPROF_CODE_REGISTERS &&
			(changed >> state->compared_with & 1)))
		state->compared = SPROF_CODE_NO_REGISTER;
}

static void change(struct sprof_code_state *state, uint16_t registers)
{
	for (unsigned i = 0; registers; i++, registers >>= 1) {
		if (registers & 1)
			state->registers[i] = unknown;
	}
}

/* The new value of the destination, which may also be an operand. */
static struct sprof_code_value result_of(
	const struct sprof_code_state *state, const struct sprof_instruction *instruction)
{
	struct sprof_code_value to = get(state, instruction->to);
	struct sprof_code_value from = get(state, instruction->from);

	switch ((enum sprof_effect)instruction->effect) {
	case SPROF_EFFECT_ADD:
		return plus(from, instruction->value);
	case SPROF_EFFECT_ADD_REGISTER:
		return from.kind == SPROF_CODE_CONSTANT && is_on_stack(&to) ? plus(to, from.number)
									    : sum(&to, &from);
	case SPROF_EFFECT_SUB_REGISTER:
		if (from.kind != SPROF_CODE_CONSTANT || !is_on_stack(&to))
			return unknown;
		return plus(to, (int64_t)(0 - (uint64_t)from.number));
	case SPROF_EFFECT_SET:
		return (struct sprof_code_value){
			.kind = SPROF_CODE_CONSTANT, .number = instruction->value};
	case SPROF_EFFECT_LOAD:
		return loaded(state, instruction);
	case SPROF_EFFECT_NONE:
	case SPROF_EFFECT_PADDING:
	case SPROF_EFFECT_ALIGN:
	case SPROF_EFFECT_STORE:
	case SPROF_EFFECT_PUSH:
	case SPROF_EFFECT_POP:
	case SPROF_EFFECT_ENTER:
	case SPROF_EFFECT_LEAVE:
	case SPROF_EFFECT_COMPARE:
	case SPROF_EFFECT_CALL:
	case SPROF_EFFECT_JUMP:
	case SPROF_EFFECT_BRANCH:
	case SPROF_EFFECT_JUMP_REGISTER:
	case SPROF_EFFECT_JUMP_MEMORY:
	case SPROF_EFFECT_RETURN:
	case SPROF_EFFECT_STOP:
		break;
	}
	return unknown;
}

static bool has_result(const struct sprof_instruction *instruction)
{
	return instruction->effect == SPROF_EFFECT_ADD || instruction->effect == SPROF_EFFECT_SET ||
		instruction->effect == SPROF_EFFECT_ADD_REGISTER ||
		instruction->effect == SPROF_EFFECT_SUB_REGISTER ||
		instruction->effect == SPROF_EFFECT_LOAD;
}

static uint16_t scratch_of(const struct sprof_instruction *call)
{
	unsigned kept = call->from < SPROF_CODE_REGISTERS ? 1u << call->from : 0;

	return (uint16_t)(SPROF_CODE_SCRATCH & ~kept);
}

/* A called function overwrites the memory below sp. */
static void call(struct sprof_code_state *state, const struct sprof_instruction *instruction)
{
	const struct sprof_code_value *sp = sp_of(state);

	for (uint32_t i = state->slot_count; i-- > 0;) {
		if (is_same_stack(&state->slots[i].at, sp) &&
			state->slots[i].at.number < sp->number)
			remove_slot(state, i);
	}
	change(state, scratch_of(instruction));
}

/* Handles instructions that move sp and memory implicitly; `changed` lacks their registers. */
static bool apply_stack(struct sprof_code_state *state, const struct sprof_instruction *instruction)
{
	if (instruction->effect == SPROF_EFFECT_PUSH)
		push(state, get(state, instruction->from), instruction->size);
	else if (instruction->effect == SPROF_EFFECT_POP)
		pop(state, instruction->to, instruction->size);
	else if (instruction->effect == SPROF_EFFECT_ENTER)
		enter(state, instruction->value);
	else if (instruction->effect == SPROF_EFFECT_LEAVE)
		leave(state);
	else if (instruction->effect == SPROF_EFFECT_CALL)
		call(state, instruction);
	else
		return false;
	return true;
}

static bool keeps_callers_fp(const struct sprof_code_state *state)
{
	for (unsigned i = 0; i < SPROF_CODE_REGISTERS; i++) {
		if (i != SPROF_CODE_FP && state->registers[i].kind == SPROF_CODE_CALLERS)
			return true;
	}
	for (uint32_t i = 0; i < state->slot_count; i++) {
		if (state->slots[i].value.kind == SPROF_CODE_CALLERS)
			return true;
	}
	return false;
}

/*
 * A function without a caller sets the frame pointer to 0 and does not save the old value (psABI,
 * 3.4.1). Outermost functions do so while the stack is empty; others, in assembly, use it freely.
 */
static bool makes_root(
	const struct sprof_code_state *state, const struct sprof_instruction *instruction)
{
	return instruction->effect == SPROF_EFFECT_SET && instruction->to == SPROF_CODE_FP &&
		!instruction->value && sprof_code_state_may_return(state) &&
		!keeps_callers_fp(state);
}

void sprof_code_state_apply(struct sprof_code_state *state,
	const struct sprof_instruction *instruction, uint32_t offset)
{
	const struct sprof_code_value root = {.kind = SPROF_CODE_ROOT};
	struct sprof_code_value result, at;
	bool is_root;

	if (instruction->effect == SPROF_EFFECT_COMPARE) {
		state->compared = instruction->to;
		state->compared_with = instruction->from;
		state->compared_value = instruction->value;
		return;
	}
	forget_comparison(state, instruction);
	if (apply_stack(state, instruction))
		return;
	is_root = makes_root(state, instruction);
	result = result_of(state, instruction);
	at = address_of(state, instruction->to, instruction->value);
	change(state, instruction->changed);
	if (instruction->effect == SPROF_EFFECT_STORE)
		write_word(state, at, instruction->size, get(state, instruction->from));
	if (has_result(instruction))
		set(state, instruction->to, is_root ? root : result);
	if (!is_on_stack(sp_of(state)) && sp_of(state)->kind != SPROF_CODE_CALLERS &&
		(instruction->changed >> SPROF_CODE_SP & 1))
		start_place(state, offset);
}

/* Code that touches each page of a large frame loops until sp equals another register. */
static void note_equal(struct sprof_code_state *state)
{
	uint8_t other = state->compared == SPROF_CODE_SP ? state->compared_with : state->compared;
	struct sprof_code_value value = get(state, other);
	bool is_sp = state->compared == SPROF_CODE_SP || state->compared_with == SPROF_CODE_SP;

	if (is_sp && value.kind == SPROF_CODE_CFA)
		*sp_of(state) = value;
}

/* The index of a case is compared with the last index before the table is read. */
static void note_bound(struct sprof_code_state *state, bool is_last_in)
{
	int64_t bound = state->compared_value + is_last_in;

	if (state->compared_with == SPROF_CODE_NO_REGISTER && bound > 0 && bound <= INT32_MAX)
		state->bound = (uint32_t)bound;
}

void sprof_code_state_branch(
	struct sprof_code_state *state, const struct sprof_instruction *branch, bool is_taken)
{
	unsigned condition = branch->condition;

	if (state->compared == SPROF_CODE_NO_REGISTER)
		return;
	if (condition == (is_taken ? SPROF_IF_EQUAL : SPROF_IF_NOT_EQUAL))
		note_equal(state);
	else if (condition == (is_taken ? SPROF_IF_NOT_ABOVE : SPROF_IF_ABOVE))
		note_bound(state, true);
	else if (condition == (is_taken ? SPROF_IF_BELOW : SPROF_IF_NOT_BELOW))
		note_bound(state, false);
}

static bool has_slot(const struct sprof_code_state *state, const struct sprof_code_slot *slot)
{
	for (uint32_t i = 0; i < state->slot_count; i++) {
		if (is_same_value(&state->slots[i].at, &slot->at) &&
			is_same_value(&state->slots[i].value, &slot->value))
			return true;
	}
	return false;
}

bool sprof_code_state_meet(struct sprof_code_state *into, const struct sprof_code_state *from)
{
	bool has_changed = false;

	for (unsigned i = 0; i < SPROF_CODE_REGISTERS; i++) {
		if (into->registers[i].kind == SPROF_CODE_UNKNOWN ||
			is_same_value(&into->registers[i], &from->registers[i]))
			continue;
		into->registers[i] = unknown;
		has_changed = true;
	}
	for (uint32_t i = into->slot_count; i-- > 0;) {
		if (has_slot(from, &into->slots[i]))
			continue;
		remove_slot(into, i);
		has_changed = true;
	}
	has_changed |= into->bound && into->bound != from->bound;
	into->bound = into->bound == from->bound ? into->bound : 0;
	if (into->compared != SPROF_CODE_NO_REGISTER &&
		(into->compared != from->compared || into->compared_with != from->compared_with ||
			into->compared_value != from->compared_value)) {
		into->compared = SPROF_CODE_NO_REGISTER;
		has_changed = true;
	}
	return has_changed;
}

bool sprof_code_state_conflicts(
	const struct sprof_code_state *one, const struct sprof_code_state *other)
{
	const struct sprof_code_value *a = &one->registers[SPROF_CODE_SP];
	const struct sprof_code_value *b = &other->registers[SPROF_CODE_SP];

	return is_on_stack(a) && is_on_stack(b) && !is_same_value(a, b);
}

bool sprof_code_state_knows_sp(const struct sprof_code_state *state)
{
	return state->registers[SPROF_CODE_SP].kind == SPROF_CODE_CFA;
}

bool sprof_code_state_has_callers_fp(const struct sprof_code_state *state)
{
	const struct sprof_code_value *fp = &state->registers[SPROF_CODE_FP];

	return fp->kind == SPROF_CODE_CALLERS && !fp->number;
}

bool sprof_code_state_may_return(const struct sprof_code_state *state)
{
	return sprof_code_state_knows_sp(state) &&
		state->registers[SPROF_CODE_SP].number == -WORD &&
		sprof_code_state_has_callers_fp(state);
}
