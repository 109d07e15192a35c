/*
 * unwind/step, by what the machine does rather than what a row says: frame pointers, leaves without
 * a frame, and the frames that the kernel makes for signals.
 */
#include "unwind/step.h"

#include "tests/unit/unwind/stack.h"

static void along_frame_pointers(void **state)
{
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	stack.words[32] = ADDRESS(40);
	assert_int_equal(sprof_step_frame_pointer(&stack.snapshot, &cursor), SPROF_STEP_OK);
	assert_true(cursor.pc == VALUE(33) && cursor.sp == ADDRESS(34));
	assert_true(cursor.fp == ADDRESS(40) && cursor.fp_known && cursor.is_return);
	stack.words[40] = 0;
	assert_int_equal(sprof_step_frame_pointer(&stack.snapshot, &cursor), SPROF_STEP_OK);
	assert_true(cursor.fp == 0);
	assert_int_equal(sprof_step_frame_pointer(&stack.snapshot, &cursor), SPROF_STEP_ROOT);
}

static void expect_chain_end(const struct stack *stack, uint64_t fp, enum sprof_step expected)
{
	struct sprof_cursor cursor = middle(), before;

	cursor.fp = fp;
	before = cursor;
	assert_int_equal(sprof_step_frame_pointer(&stack->snapshot, &cursor), expected);
	assert_memory_equal(&cursor, &before, sizeof(cursor));
}

static void frame_pointers_that_are_none(void **state)
{
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	expect_chain_end(&stack, 0, SPROF_STEP_ROOT);
	expect_chain_end(&stack, ADDRESS(15), SPROF_STEP_BAD_MEMORY);
	expect_chain_end(&stack, ADDRESS(20) + 4, SPROF_STEP_BAD_MEMORY);
	expect_chain_end(&stack, ADDRESS(WORDS - 1), SPROF_STEP_BAD_MEMORY);
	expect_chain_end(&stack, UINT64_MAX - 7, SPROF_STEP_BAD_MEMORY);
	stack.snapshot.stack.limit = UINT64_MAX;
	expect_chain_end(&stack, ADDRESS(WORDS - 1), SPROF_STEP_STACK_COPY);
	stack.words[41] = 0;
	expect_chain_end(&stack, ADDRESS(40), SPROF_STEP_ROOT);
	cursor.fp_known = false;
	assert_int_equal(sprof_step_frame_pointer(&stack.snapshot, &cursor), SPROF_STEP_REGISTER);
}

#if defined(__x86_64__)

/* The kernel's frame: a ucontext at sp, its registers from byte 40 on in the order of REG_*. */
static void a_signal_frame(void **state)
{
	struct sprof_rule signal = {.cfa = SPROF_CFA_SIGNAL};
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	assert_int_equal(sprof_step(&stack.snapshot, &signal, &cursor), SPROF_STEP_OK);
	assert_true(cursor.fp == VALUE(16 + 5 + 10));
	assert_true(cursor.sp == VALUE(16 + 5 + 15));
	assert_true(cursor.pc == VALUE(16 + 5 + 16));
	/* The interrupted place is no return address, and may be a leaf's. */
	assert_true(cursor.fp_known && cursor.innermost);
	assert_false(cursor.is_return);
}

/* From an alternate stack the walk may lead down. */
static void a_signal_frame_on_another_stack(void **state)
{
	struct sprof_rule signal = {.cfa = SPROF_CFA_SIGNAL}, sp = rule(SPROF_CFA_SP, 16);
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	stack.words[16 + 5 + 15] = ADDRESS(2);
	assert_int_equal(sprof_step(&stack.snapshot, &signal, &cursor), SPROF_STEP_OK);
	cursor = step_from(&stack, &sp, cursor);
	assert_true(cursor.sp == ADDRESS(4) && cursor.pc == VALUE(3));
}

static void a_signal_frame_that_is_not_all_there(void **state)
{
	struct sprof_rule signal = {.cfa = SPROF_CFA_SIGNAL};
	struct sprof_cursor cursor = middle();
	struct stack stack;

	stack_init(&stack);
	cursor.sp = ADDRESS(WORDS - 21);
	expect_failure(&stack, &signal, cursor, SPROF_STEP_BAD_MEMORY);
	stack.snapshot.stack.limit = UINT64_MAX;
	expect_failure(&stack, &signal, cursor, SPROF_STEP_STACK_COPY);
	cursor.sp = ADDRESS(WORDS - 22);
	assert_int_equal(sprof_step(&stack.snapshot, &signal, &cursor), SPROF_STEP_OK);
}

static void a_leaf_without_a_frame(void **state)
{
	struct sprof_cursor cursor = leaf();
	struct stack stack;

	stack_init(&stack);
	assert_int_equal(sprof_step_leaf(&stack.snapshot, &cursor), SPROF_STEP_OK);
	assert_true(cursor.pc == VALUE(16) && cursor.sp == ADDRESS(17));
	assert_true(cursor.fp == ADDRESS(32) && cursor.fp_known && cursor.is_return);
	assert_false(cursor.innermost);
	cursor.sp = ADDRESS(WORDS);
	assert_int_equal(sprof_step_leaf(&stack.snapshot, &cursor), SPROF_STEP_BAD_MEMORY);
}

#endif

TEST_MAIN("step-frames")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(along_frame_pointers),
		cmocka_unit_test(frame_pointers_that_are_none),
#if defined(__x86_64__)
		cmocka_unit_test(a_signal_frame),
		cmocka_unit_test(a_signal_frame_on_another_stack),
		cmocka_unit_test(a_signal_frame_that_is_not_all_there),
		cmocka_unit_test(a_leaf_without_a_frame),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
