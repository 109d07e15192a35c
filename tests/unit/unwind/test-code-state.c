/*
 * elfsym/code-state: what is known behind each kind of instruction, where ways meet, and which row that is. The
 * instructions are made here, so that no decoder is needed.
 */
#include "unwind/code/state.h"

#include "tests/unit/check.h"

enum {
	WORD = 8,
	SP = SPROF_CODE_SP,
	FP = SPROF_CODE_FP,
	AX = 0,
	BX = 3,
	R11 = 11,
	R12,
	NO = SPROF_CODE_NO_REGISTER
};

static struct sprof_code_state at_entry(void)
{
	struct sprof_code_state state;

	sprof_code_state_init(&state);
	return state;
}

static void apply(struct sprof_code_state *state, struct sprof_instruction one)
{
	sprof_code_state_apply(state, &one, 0x40);
}

static struct sprof_instruction add(uint8_t to, uint8_t from, int64_t value)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_ADD,
		.to = to,
		.from = from,
		.index = NO,
		.value = value,
		.changed = (uint16_t)(1u << to)};
}

static struct sprof_instruction push(uint8_t from)
{
	return (struct sprof_instruction){
		.effect = SPROF_EFFECT_PUSH, .to = NO, .from = from, .index = NO, .size = WORD};
}

static struct sprof_instruction pop(uint8_t to)
{
	return (struct sprof_instruction){
		.effect = SPROF_EFFECT_POP, .to = to, .from = NO, .index = NO, .size = WORD};
}

static struct sprof_instruction change(uint8_t reg)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_NONE,
		.to = reg,
		.from = NO,
		.index = NO,
		.changed = (uint16_t)(1u << reg)};
}

static struct sprof_instruction align(uint8_t reg)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_ALIGN,
		.to = reg,
		.from = NO,
		.index = NO,
		.value = -64,
		.changed = (uint16_t)(1u << reg)};
}

static struct sprof_instruction store(uint8_t base, int64_t value, uint8_t from, uint8_t size)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_STORE,
		.to = base,
		.from = from,
		.index = NO,
		.value = value,
		.size = size};
}

static struct sprof_instruction load(uint8_t to, uint8_t base, int64_t value)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_LOAD,
		.to = to,
		.from = base,
		.index = NO,
		.value = value,
		.size = WORD,
		.changed = (uint16_t)(1u << to)};
}

static struct sprof_instruction set(uint8_t to, int64_t value)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_SET,
		.to = to,
		.from = NO,
		.index = NO,
		.value = value,
		.changed = (uint16_t)(1u << to)};
}

static struct sprof_instruction compare(uint8_t reg, uint8_t with, int64_t value)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_COMPARE,
		.to = reg,
		.from = with,
		.index = NO,
		.value = value};
}

static struct sprof_instruction branch(enum sprof_condition condition)
{
	return (struct sprof_instruction){.effect = SPROF_EFFECT_BRANCH,
		.to = NO,
		.from = NO,
		.index = NO,
		.condition = (uint8_t)condition};
}

static void expect_cfa(
	const struct sprof_code_state *state, enum sprof_cfa_rule rule, int32_t offset)
{
	struct sprof_cfi_row row = sprof_code_state_row(state);

	assert_int_equal(row.cfa, rule);
	if (rule != SPROF_CFA_NONE) {
		assert_int_equal(row.cfa_offset, offset);
		assert_int_equal(row.ra, SPROF_REG_SAVED);
		assert_int_equal(row.ra_offset, -WORD);
	}
}

static void expect_fp(
	const struct sprof_code_state *state, enum sprof_reg_rule rule, int32_t offset)
{
	struct sprof_cfi_row row = sprof_code_state_row(state);

	assert_int_equal(row.fp, rule);
	if (rule == SPROF_REG_SAVED)
		assert_int_equal(row.fp_offset, offset);
}

static void an_entry(void **unused)
{
	struct sprof_code_state state = at_entry();

	expect_cfa(&state, SPROF_CFA_SP, WORD);
	expect_fp(&state, SPROF_REG_SAME, 0);
	assert_true(sprof_code_state_knows_sp(&state));
	assert_true(sprof_code_state_may_return(&state));
}

static void sp_and_the_frame_pointer(void **unused)
{
	struct sprof_code_state state = at_entry();

	apply(&state, push(FP));
	expect_cfa(&state, SPROF_CFA_SP, 16);
	assert_false(sprof_code_state_may_return(&state));
	apply(&state, add(FP, SP, 0));
	expect_fp(&state, SPROF_REG_SAVED, -16);
	apply(&state, add(SP, SP, -32));
	expect_cfa(&state, SPROF_CFA_SP, 48);
	apply(&state, change(SP));
	assert_false(sprof_code_state_knows_sp(&state));
	expect_cfa(&state, SPROF_CFA_FP, 16);
	apply(&state, (struct sprof_instruction){.effect = SPROF_EFFECT_LEAVE});
	expect_cfa(&state, SPROF_CFA_SP, WORD);
	expect_fp(&state, SPROF_REG_SAME, 0);
	assert_true(sprof_code_state_may_return(&state));
}

/* A jump or return changes nothing; a call what the ABI lets it. */
static void calls_and_jumps(void **unused)
{
	struct sprof_code_state state = at_entry(), before;

	apply(&state, add(R11, SP, 0));
	apply(&state, add(R12, SP, 0));
	before = state;
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_JUMP, .to = NO, .from = NO});
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_RETURN, .to = NO, .from = NO});
	assert_memory_equal(&state, &before, sizeof(state));
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_CALL, .to = NO, .from = NO});
	assert_int_equal(state.registers[R11].kind, SPROF_CODE_UNKNOWN);
	assert_int_equal(state.registers[R12].kind, SPROF_CODE_CFA);
	expect_cfa(&state, SPROF_CFA_SP, WORD);
}

static void words_of_the_stack(void **unused)
{
	struct sprof_code_state state = at_entry();

	apply(&state, add(SP, SP, -32));
	apply(&state, store(SP, 8, FP, WORD));
	apply(&state, set(FP, 7));
	expect_fp(&state, SPROF_REG_SAVED, -32);
	/* Beside it, on both sides. */
	apply(&state, store(SP, 0, NO, 8));
	apply(&state, store(SP, 16, NO, 8));
	expect_fp(&state, SPROF_REG_SAVED, -32);
	apply(&state, load(BX, SP, 8));
	assert_int_equal(state.registers[BX].kind, SPROF_CODE_CALLERS);
	apply(&state, load(BX, SP, 4));
	assert_int_equal(state.registers[BX].kind, SPROF_CODE_UNKNOWN);
	/* Its last byte. */
	apply(&state, store(SP, 15, NO, 1));
	expect_fp(&state, SPROF_REG_UNDEFINED, 0);
}

/* There is room for few words: more are not known. */
static void more_words_than_are_kept(void **unused)
{
	struct sprof_code_state state = at_entry();

	for (unsigned i = 0; i < SPROF_CODE_SLOTS; i++)
		apply(&state, push(SP));
	apply(&state, push(FP));
	apply(&state, change(FP));
	expect_fp(&state, SPROF_REG_UNDEFINED, 0);
	apply(&state, pop(FP));
	apply(&state, pop(BX));
	assert_int_equal(state.registers[BX].kind, SPROF_CODE_CFA);
	expect_cfa(&state, SPROF_CFA_SP, 8 + (SPROF_CODE_SLOTS - 1) * WORD);
}

static void a_stack_that_is_aligned(void **unused)
{
	struct sprof_code_state state = at_entry();

	apply(&state, add(AX, SP, 0));
	apply(&state, align(SP));
	expect_cfa(&state, SPROF_CFA_NONE, 0);
	apply(&state, push(AX));
	expect_cfa(&state, SPROF_CFA_SP_DEREF, 0);
	assert_int_equal(sprof_code_state_row(&state).cfa_add, WORD);
	apply(&state, add(FP, SP, 0));
	apply(&state, add(SP, SP, -24));
	expect_cfa(&state, SPROF_CFA_SP_DEREF, 24);
	apply(&state, add(BX, SP, 0));
	/* Another place: what is told from the one before is not what is there. */
	apply(&state, align(SP));
	expect_cfa(&state, SPROF_CFA_NONE, 0);
	assert_int_equal(state.registers[BX].kind, SPROF_CODE_UNKNOWN);
}

static void a_stack_that_is_aligned_elsewhere(void **unused)
{
	struct sprof_code_state state = at_entry();
	struct sprof_instruction again = align(SP);

	apply(&state, add(AX, SP, 0));
	apply(&state, align(SP));
	apply(&state, push(AX));
	apply(&state, add(FP, SP, 0));
	/* At another instruction: what the frame pointer leads to stays. */
	sprof_code_state_apply(&state, &again, 0x80);
	expect_cfa(&state, SPROF_CFA_FP_DEREF, 0);
	assert_int_equal(sprof_code_state_row(&state).cfa_add, WORD);
}

static void the_outermost_frame(void **unused)
{
	struct sprof_code_state state = at_entry();

	apply(&state, set(FP, 0));
	assert_int_equal(sprof_code_state_row(&state).ra, SPROF_REG_UNDEFINED);
	apply(&state, change(SP));
	assert_int_equal(sprof_code_state_row(&state).ra, SPROF_REG_UNDEFINED);
	assert_int_not_equal(sprof_code_state_row(&state).cfa, SPROF_CFA_NONE);
	/* Any other number is none. */
	state = at_entry();
	apply(&state, set(FP, 1));
	assert_int_equal(sprof_code_state_row(&state).ra, SPROF_REG_SAVED);
	/* Nor is a zero where the old value is kept: on the stack, also one of unknown place, or in a register. */
	state = at_entry();
	apply(&state, push(FP));
	apply(&state, set(FP, 0));
	assert_int_equal(sprof_code_state_row(&state).ra, SPROF_REG_SAVED);
	state = at_entry();
	apply(&state, add(BX, FP, 0));
	apply(&state, set(FP, 0));
	assert_int_equal(sprof_code_state_row(&state).ra, SPROF_REG_SAVED);
}

/* What is too far to be told is not known. */
static void numbers_that_are_too_large(void **unused)
{
	struct sprof_code_state state = at_entry();

	apply(&state, add(SP, SP, -INT32_MAX));
	expect_cfa(&state, SPROF_CFA_NONE, 0);
	apply(&state, add(SP, SP, INT32_MAX));
	expect_cfa(&state, SPROF_CFA_SP, WORD);
	apply(&state, add(AX, SP, INT16_MAX + 100));
	apply(&state, align(SP));
	apply(&state, push(AX));
	expect_cfa(&state, SPROF_CFA_NONE, 0);
}

static void ways_that_meet(void **unused)
{
	struct sprof_code_state one = at_entry(), other = at_entry();

	assert_false(sprof_code_state_meet(&one, &other));
	apply(&one, push(FP));
	apply(&other, push(FP));
	apply(&other, change(BX));
	apply(&one, set(FP, 3));
	assert_false(sprof_code_state_conflicts(&one, &other));
	assert_true(sprof_code_state_meet(&one, &other));
	assert_false(sprof_code_state_meet(&one, &other));
	expect_cfa(&one, SPROF_CFA_SP, 16);
	expect_fp(&one, SPROF_REG_SAVED, -16);
	/* The word is only on one of them. */
	apply(&other, store(SP, 0, NO, WORD));
	assert_true(sprof_code_state_meet(&one, &other));
	expect_fp(&one, SPROF_REG_UNDEFINED, 0);
}

static void ways_of_different_depth(void **unused)
{
	struct sprof_code_state one = at_entry(), other = at_entry();

	apply(&other, push(BX));
	assert_true(sprof_code_state_conflicts(&one, &other));
	assert_true(sprof_code_state_meet(&one, &other));
	expect_cfa(&one, SPROF_CFA_NONE, 0);
	assert_false(sprof_code_state_conflicts(&one, &other));
}

/* Behind a loop that touches each page of a frame. */
static void sp_is_what_it_was_compared_with(void **unused)
{
	struct sprof_code_state loop = at_entry(), end;
	const struct sprof_instruction again = branch(SPROF_IF_NOT_EQUAL);

	apply(&loop, add(R11, SP, -0x5000));
	apply(&loop, change(SP));
	apply(&loop, compare(SP, R11, 0));
	end = loop;
	sprof_code_state_branch(&loop, &again, true);
	expect_cfa(&loop, SPROF_CFA_NONE, 0);
	sprof_code_state_branch(&end, &again, false);
	expect_cfa(&end, SPROF_CFA_SP, 0x5008);
}

static void a_comparison_that_is_over(void **unused)
{
	const struct sprof_instruction again = branch(SPROF_IF_NOT_EQUAL);
	struct sprof_instruction over[] = {change(R11), change(SP), change(BX),
		{.effect = SPROF_EFFECT_CALL, .to = NO, .from = NO}};

	over[2].sets_flags = true;
	for (size_t i = 0; i < sizeof(over) / sizeof(*over); i++) {
		struct sprof_code_state state = at_entry();

		apply(&state, add(R11, SP, -0x5000));
		apply(&state, change(SP));
		apply(&state, compare(R11, SP, 0));
		apply(&state, over[i]);
		sprof_code_state_branch(&state, &again, false);
		expect_cfa(&state, SPROF_CFA_NONE, 0);
	}
}

static uint32_t bound_behind(enum sprof_condition condition, bool is_taken, int64_t value)
{
	struct sprof_code_state state = at_entry();
	const struct sprof_instruction jump = branch(condition);

	apply(&state, compare(BX, NO, value));
	sprof_code_state_branch(&state, &jump, is_taken);
	return state.bound;
}

static void bounds(void **unused)
{
	struct sprof_code_state one = at_entry(), other = at_entry();

	assert_int_equal(bound_behind(SPROF_IF_ABOVE, false, 5), 6);
	assert_int_equal(bound_behind(SPROF_IF_ABOVE, true, 5), 0);
	assert_int_equal(bound_behind(SPROF_IF_NOT_ABOVE, true, 5), 6);
	assert_int_equal(bound_behind(SPROF_IF_NOT_ABOVE, false, 5), 0);
	assert_int_equal(bound_behind(SPROF_IF_BELOW, true, 5), 5);
	assert_int_equal(bound_behind(SPROF_IF_NOT_BELOW, false, 5), 5);
	assert_int_equal(bound_behind(SPROF_IF_OTHER, false, 5), 0);
	assert_int_equal(bound_behind(SPROF_IF_EQUAL, true, 5), 0);
	assert_int_equal(bound_behind(SPROF_IF_BELOW, true, 0), 0);
	assert_int_equal(bound_behind(SPROF_IF_ABOVE, false, -1), 0);
	assert_int_equal(bound_behind(SPROF_IF_ABOVE, false, INT32_MAX), 0);
	one.bound = 5;
	other.bound = 6;
	assert_true(sprof_code_state_meet(&one, &other));
	assert_int_equal(one.bound, 0);
}

TEST_MAIN("code-state")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry),
		cmocka_unit_test(sp_and_the_frame_pointer),
		cmocka_unit_test(calls_and_jumps),
		cmocka_unit_test(words_of_the_stack),
		cmocka_unit_test(more_words_than_are_kept),
		cmocka_unit_test(a_stack_that_is_aligned),
		cmocka_unit_test(a_stack_that_is_aligned_elsewhere),
		cmocka_unit_test(the_outermost_frame),
		cmocka_unit_test(numbers_that_are_too_large),
		cmocka_unit_test(ways_that_meet),
		cmocka_unit_test(ways_of_different_depth),
		cmocka_unit_test(sp_is_what_it_was_compared_with),
		cmocka_unit_test(a_comparison_that_is_over),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
