/*
 * unwind/step, by CFI rows: each kind of rule, over stacks that are arrays here, and each way in
 * which a step can fail.
 */
#include "unwind/step.h"

#include "tests/unit/unwind/stack.h"

static void the_start_of_a_walk(void **state)
{
	struct sprof_regs regs = {0};
	struct sprof_cursor cursor;

	sprof_regs_set(&regs, SPROF_REG_PC, 1);
	sprof_regs_set(&regs, SPROF_REG_SP, 2);
	sprof_cursor_init(&cursor, &regs);
	assert_int_equal(cursor.pc, 1);
	assert_int_equal(cursor.sp, 2);
	assert_false(cursor.fp_known || cursor.lr_known || cursor.is_return);
	assert_true(cursor.innermost);
	sprof_regs_set(&regs, SPROF_REG_FP, 3);
	sprof_cursor_init(&cursor, &regs);
	assert_int_equal(cursor.fp, 3);
	assert_true(cursor.fp_known);
}

/* What an arm64 machine with addresses of 48 bits signs, and with 52. */
static void signed_return_addresses(void **state)
{
	static const uint64_t masks[] = {0x7f000000000000, 0x70000000000000};
	struct sprof_rule sp = with_fp(rule(SPROF_CFA_SP, 40), SPROF_REG_SAVED, -16);
	struct stack stack;

	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		struct sprof_cursor cursor = middle();

		stack_init(&stack);
		cursor.signature = masks[i];
		stack.words[20] |= masks[i] & 0x5a5a5a5a5a5a5a5a;
		stack.words[19] |= masks[i]; /* no return address: a register that holds anything */
		cursor = step_from(&stack, &sp, cursor);
		assert_true(cursor.pc == VALUE(20));
		assert_true(cursor.fp == (VALUE(19) | masks[i]));
		assert_true(cursor.signature == masks[i]);
	}
}

/* Its own copy of the address, where the machine has a register for that. */
static void a_signed_link_register(void **state)
{
	struct sprof_rule same = with_ra(rule(SPROF_CFA_SP, 0), SPROF_REG_SAME, 0);
	struct sprof_cursor cursor = leaf();
	struct stack stack;

	stack_init(&stack);
	cursor.lr_known = true;
	cursor.signature = 0x7f000000000000;
	cursor.lr = (uint64_t)0x2a << 48 | 0x401234;
	cursor = step_from(&stack, &same, cursor);
	assert_true(cursor.pc == 0x401234);
}

/* A signature of nothing is nothing: the kernel and libc sign no root. */
static void a_signed_zero_is_the_root(void **state)
{
	struct sprof_rule sp = rule(SPROF_CFA_SP, 40);
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	cursor.signature = 0x7f000000000000;
	stack.words[20] = 0x11000000000000;
	expect_failure(&stack, &sp, cursor, SPROF_STEP_ROOT);
}

static void by_the_stack_pointer(void **state)
{
	struct sprof_rule sp = rule(SPROF_CFA_SP, 40);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	cursor = step_from(&stack, &sp, middle());
	assert_true(cursor.sp == ADDRESS(21));
	assert_true(cursor.pc == VALUE(20));
	assert_true(cursor.fp == ADDRESS(32) && cursor.fp_known);
}

static void by_the_frame_pointer(void **state)
{
	struct sprof_rule fp = with_fp(rule(SPROF_CFA_FP, 16), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	cursor = step_from(&stack, &fp, middle());
	assert_true(cursor.sp == ADDRESS(34));
	assert_true(cursor.pc == VALUE(33));
	assert_true(cursor.fp == VALUE(32) && cursor.fp_known);
}

static void by_what_the_stack_pointer_points_to(void **state)
{
	struct sprof_rule deref = rule(SPROF_CFA_SP_DEREF, 24);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	stack.words[19] = ADDRESS(100);
	cursor = step_from(&stack, &deref, middle());
	assert_true(cursor.sp == ADDRESS(100));
	assert_true(cursor.pc == VALUE(99));
	stack.words[19] = ADDRESS(16);
	expect_failure(&stack, &deref, middle(), SPROF_STEP_NO_PROGRESS);
}

static void by_what_the_frame_pointer_points_to(void **state)
{
	struct sprof_rule deref = rule(SPROF_CFA_FP_DEREF, -8);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	stack.words[31] = ADDRESS(50);
	cursor = step_from(&stack, &deref, middle());
	assert_true(cursor.sp == ADDRESS(50));
	assert_true(cursor.pc == VALUE(49));
}

/* gcc's realigned frame of variable size. */
static void a_frame_pointer_saved_where_it_points_to(void **state)
{
	struct sprof_rule deref = with_fp(rule(SPROF_CFA_FP_DEREF, -8), SPROF_REG_SAVED_AT_FP, 16);
	struct sprof_rule by_sp = with_fp(rule(SPROF_CFA_SP, 40), SPROF_REG_SAVED_AT_FP, 0);
	struct sprof_cursor unknown = middle(), cursor;
	struct stack stack;

	stack_init(&stack);
	stack.words[31] = ADDRESS(50);
	cursor = step_from(&stack, &deref, middle());
	assert_true(cursor.sp == ADDRESS(50));
	assert_true(cursor.fp == VALUE(34) && cursor.fp_known);
	unknown.fp_known = false;
	cursor = step_from(&stack, &by_sp, unknown);
	assert_true(cursor.sp == ADDRESS(21) && !cursor.fp_known);
}

/* -fsplit-stack: the caller's piece may be anywhere. */
static void another_piece_of_the_stack(void **state)
{
	struct sprof_rule piece = with_fp(rule(SPROF_CFA_FP, 24), SPROF_REG_SAVED, -24);
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	cursor.fp = ADDRESS(4);
	cursor = step_from(&stack, &piece, cursor);
	assert_true(cursor.sp == ADDRESS(7));
	assert_true(cursor.pc == VALUE(6) && cursor.fp == VALUE(4));
}

/* An entry of 16 bytes pushes its index in the middle: from byte 11 on the CFA is 8 further. */
static void in_the_plt(void **state)
{
	struct sprof_rule plt = rule(SPROF_CFA_PLT, 11);
	struct stack stack;

	stack_init(&stack);
	for (uint64_t byte = 0; byte < 16; byte++) {
		struct sprof_cursor cursor = leaf();

		cursor.pc = 0x401020 + byte;
		cursor = step_from(&stack, &plt, cursor);
		assert_true(cursor.sp == ADDRESS(byte < 11 ? 17 : 18));
		assert_true(cursor.pc == VALUE(byte < 11 ? 16 : 17));
	}
}

static void registers_lie_where_the_rule_says(void **state)
{
	struct sprof_rule far = with_ra(
		with_fp(rule(SPROF_CFA_SP, 400), SPROF_REG_SAVED, -24), SPROF_REG_SAVED, -48);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	cursor = step_from(&stack, &far, middle());
	assert_true(cursor.sp == ADDRESS(66));
	assert_true(cursor.pc == VALUE(60));
	assert_true(cursor.fp == VALUE(63));
}

static void offsets_may_be_negative(void **state)
{
	struct sprof_rule down = rule(SPROF_CFA_FP, -64);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	cursor = step_from(&stack, &down, middle());
	assert_true(cursor.sp == ADDRESS(24));
}

static void an_undefined_frame_pointer_is_not_known(void **state)
{
	struct sprof_rule undefined = with_fp(rule(SPROF_CFA_SP, 16), SPROF_REG_UNDEFINED, 0);
	struct sprof_rule saved = with_fp(rule(SPROF_CFA_SP, 16), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor;
	struct stack stack;

	stack_init(&stack);
	cursor = step_from(&stack, &undefined, middle());
	assert_false(cursor.fp_known);
	/* An outer frame that has saved it makes it known again. */
	cursor = step_from(&stack, &saved, cursor);
	assert_true(cursor.fp_known);
	assert_true(cursor.fp == VALUE(18));
}

/* A peek knows sp and pc only. */
static void an_unknown_frame_pointer_that_is_needed(void **state)
{
	struct sprof_rule fp = rule(SPROF_CFA_FP, 16), deref = rule(SPROF_CFA_FP_DEREF, 0);
	struct sprof_rule sp = rule(SPROF_CFA_SP, 16);
	struct sprof_cursor cursor = leaf();
	struct stack stack;

	stack_init(&stack);
	cursor.fp_known = false;
	expect_failure(&stack, &fp, cursor, SPROF_STEP_REGISTER);
	expect_failure(&stack, &deref, cursor, SPROF_STEP_REGISTER);
	cursor = step_from(&stack, &sp, cursor);
	assert_false(cursor.fp_known);
}

static void the_outermost_frame(void **state)
{
	struct sprof_rule root = with_ra(rule(SPROF_CFA_SP, 8), SPROF_REG_UNDEFINED, 0);
	struct sprof_rule sp = rule(SPROF_CFA_SP, 8);
	struct stack stack;

	stack_init(&stack);
	expect_failure(&stack, &root, middle(), SPROF_STEP_ROOT);
	stack.words[16] = 0;
	expect_failure(&stack, &sp, middle(), SPROF_STEP_ROOT);
}

static void a_walk_only_goes_up(void **state)
{
	struct sprof_rule same = rule(SPROF_CFA_SP, 0), down = rule(SPROF_CFA_SP, -8);
	struct sprof_rule fp = rule(SPROF_CFA_FP, 16);
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	expect_failure(&stack, &same, middle(), SPROF_STEP_NO_PROGRESS);
	expect_failure(&stack, &same, leaf(), SPROF_STEP_NO_PROGRESS);
	expect_failure(&stack, &down, middle(), SPROF_STEP_NO_PROGRESS);
	cursor.fp = ADDRESS(14);
	expect_failure(&stack, &fp, cursor, SPROF_STEP_NO_PROGRESS);
	cursor.fp = UINT64_MAX - 8;
	expect_failure(&stack, &fp, cursor, SPROF_STEP_NO_PROGRESS);
}

static void beyond_the_copy_or_elsewhere(void **state)
{
	struct sprof_rule last = rule(SPROF_CFA_SP, (WORDS - 16) * WORD);
	struct sprof_rule next = rule(SPROF_CFA_SP, (WORDS - 15) * WORD);
	struct sprof_rule across = rule(SPROF_CFA_SP, (WORDS - 16) * WORD + 1);
	struct stack stack;

	stack_init(&stack);
	step_from(&stack, &last, middle());
	expect_failure(&stack, &next, middle(), SPROF_STEP_BAD_MEMORY);
	expect_failure(&stack, &across, middle(), SPROF_STEP_BAD_MEMORY);
	stack.snapshot.stack.limit = UINT64_MAX;
	step_from(&stack, &last, middle());
	expect_failure(&stack, &next, middle(), SPROF_STEP_STACK_COPY);
	expect_failure(&stack, &across, middle(), SPROF_STEP_STACK_COPY);
}

static void below_the_copy_is_elsewhere(void **state)
{
	struct sprof_rule deref = rule(SPROF_CFA_FP_DEREF, 0);
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	stack.snapshot.stack.limit = UINT64_MAX;
	cursor.fp = BASE - 8;
	expect_failure(&stack, &deref, cursor, SPROF_STEP_BAD_MEMORY);
	cursor.fp = 0;
	expect_failure(&stack, &deref, cursor, SPROF_STEP_BAD_MEMORY);
}

static void an_empty_copy(void **state)
{
	struct sprof_snapshot snapshot = {.stack.base = ADDRESS(16)};
	struct sprof_rule sp = rule(SPROF_CFA_SP, 8);
	struct sprof_cursor cursor = middle();

	assert_int_equal(sprof_step(&snapshot, &sp, &cursor), SPROF_STEP_BAD_MEMORY);
	snapshot.stack.limit = UINT64_MAX;
	assert_int_equal(sprof_step(&snapshot, &sp, &cursor), SPROF_STEP_STACK_COPY);
}

/*
 * Behind the pop of an epilogue the CFI may go on to say that fp is saved in a slot, which lies
 * below sp by then and outside of the copy: fp has been restored and is right as it is.
 */
static void an_epilogue_whose_slot_is_gone(void **state)
{
	struct sprof_rule epilogue = with_fp(rule(SPROF_CFA_SP, 8), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor = leaf();
	struct stack stack;

	stack_init(&stack);
	cursor.sp = BASE;
	cursor = step_from(&stack, &epilogue, cursor);
	assert_true(cursor.sp == ADDRESS(1) && cursor.pc == VALUE(0));
	assert_true(cursor.fp == ADDRESS(32) && cursor.fp_known);
	cursor = leaf();
	cursor.sp = BASE;
	cursor.fp_known = false;
	cursor = step_from(&stack, &epilogue, cursor);
	assert_false(cursor.fp_known);
}

/* An outer frame stands at its call: its slot lies above sp, or something is wrong. */
static void an_outer_frame_is_in_no_epilogue(void **state)
{
	struct sprof_rule epilogue = with_fp(rule(SPROF_CFA_SP, 8), SPROF_REG_SAVED, -16);
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	cursor.sp = BASE;
	expect_failure(&stack, &epilogue, cursor, SPROF_STEP_BAD_MEMORY);
}

static void what_a_row_can_not_say(void **state)
{
	struct sprof_rule other = rule(SPROF_CFA_OTHER, 0), none = rule(SPROF_CFA_NONE, 0);
	struct stack stack;

	stack_init(&stack);
	expect_failure(&stack, &other, middle(), SPROF_STEP_OTHER);
	expect_failure(&stack, &none, middle(), SPROF_STEP_OTHER);
}

/* The link register is good for the innermost frame only; x86_64 has none. */
static void a_return_address_that_is_nowhere(void **state)
{
	struct sprof_rule same = with_ra(rule(SPROF_CFA_SP, 8), SPROF_REG_SAME, 0);
	struct sprof_cursor cursor = leaf();
	struct stack stack;

	stack_init(&stack);
	expect_failure(&stack, &same, leaf(), SPROF_STEP_REGISTER);
	expect_failure(&stack, &same, middle(), SPROF_STEP_NO_PROGRESS);
	cursor.lr_known = true;
	cursor.lr = 0x1234;
	cursor = step_from(&stack, &same, cursor);
	assert_true(cursor.pc == 0x1234);
	assert_true(cursor.sp == ADDRESS(17));
}

/* A leaf of a machine with a link register may have no frame at all. */
static void a_frame_of_no_size_with_a_link_register(void **state)
{
	struct sprof_rule same = with_ra(rule(SPROF_CFA_SP, 0), SPROF_REG_SAME, 0);
	struct sprof_cursor cursor = leaf();
	struct stack stack;

	stack_init(&stack);
	cursor.lr_known = true;
	cursor.lr = 0x1234;
	cursor = step_from(&stack, &same, cursor);
	assert_true(cursor.pc == 0x1234);
	assert_true(cursor.sp == ADDRESS(16));
	expect_failure(&stack, &same, cursor, SPROF_STEP_NO_PROGRESS);
}

TEST_MAIN("step")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_start_of_a_walk),
		cmocka_unit_test(by_the_stack_pointer),
		cmocka_unit_test(signed_return_addresses),
		cmocka_unit_test(a_signed_link_register),
		cmocka_unit_test(a_signed_zero_is_the_root),
		cmocka_unit_test(by_the_frame_pointer),
		cmocka_unit_test(by_what_the_stack_pointer_points_to),
		cmocka_unit_test(by_what_the_frame_pointer_points_to),
		cmocka_unit_test(a_frame_pointer_saved_where_it_points_to),
		cmocka_unit_test(another_piece_of_the_stack),
		cmocka_unit_test(in_the_plt),
		cmocka_unit_test(registers_lie_where_the_rule_says),
		cmocka_unit_test(offsets_may_be_negative),
		cmocka_unit_test(an_undefined_frame_pointer_is_not_known),
		cmocka_unit_test(an_unknown_frame_pointer_that_is_needed),
		cmocka_unit_test(the_outermost_frame),
		cmocka_unit_test(a_walk_only_goes_up),
		cmocka_unit_test(beyond_the_copy_or_elsewhere),
		cmocka_unit_test(below_the_copy_is_elsewhere),
		cmocka_unit_test(an_empty_copy),
		cmocka_unit_test(an_epilogue_whose_slot_is_gone),
		cmocka_unit_test(an_outer_frame_is_in_no_epilogue),
		cmocka_unit_test(what_a_row_can_not_say),
		cmocka_unit_test(a_return_address_that_is_nowhere),
		cmocka_unit_test(a_frame_of_no_size_with_a_link_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
