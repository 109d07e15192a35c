/*
 * events/return-stack: which calls have returned, after jumps, tail calls and on other stacks.
 */
#include "events/functions/return-stack.h"

#include <stdlib.h>

#include "tests/unit/check.h"

static struct sprof_return_stack stack;

static void enter(int64_t number, uint64_t sp, uint64_t address)
{
	const struct sprof_return call = {.address = address, .sp = sp, .tag = (uint32_t)number};

	stack.place = (struct sprof_own_stack){0, 1000};
	assert_true(sprof_return_stack_enter(&stack, &call));
}

/* The calls that return there, as digits: the last one first. */
static void check_leave(uint64_t sp, uint64_t address, const char *expected)
{
	struct sprof_return call;
	char text[16] = "";
	size_t count = 0;

	while (sprof_return_stack_leave(&stack, address, sp, &call))
		text[count++] = (char)('0' + call.tag);
	assert_string_equal(text, expected);
}

static int finish(void **state)
{
	sprof_return_stack_finish(&stack);
	return 0;
}

static void calls_within_each_other(void **state)
{
	enter(1, 900, 10);
	enter(2, 800, 20);
	enter(2, 700, 20);
	check_leave(700, 20, "2");
	check_leave(700, 20, "");
	check_leave(800, 30, "");
	check_leave(800, 20, "2");
	check_leave(900, 10, "1");
	check_leave(900, 10, "");
}

static void tail_calls_return_together(void **state)
{
	enter(1, 900, 10);
	enter(2, 900, 10);
	enter(3, 900, 10);
	check_leave(900, 10, "321");
}

static void jumps(void **state)
{
	enter(1, 900, 10);
	enter(2, 800, 20);
	enter(3, 700, 30);
	check_leave(900, 10, "1");
	check_leave(800, 20, "");
	check_leave(700, 30, "");
}

/* From the same place, and from another one of the same caller. */
static void a_call_after_a_jump(void **state)
{
	enter(2, 800, 20);
	enter(2, 800, 20);
	check_leave(800, 20, "2");
	enter(2, 800, 20);
	enter(3, 800, 21);
	check_leave(800, 21, "3");
	check_leave(800, 20, "");
	enter(1, 800, 20);
	enter(2, 800, 20);
	enter(1, 800, 22);
	check_leave(800, 22, "1");
	check_leave(800, 20, "");
}

/* Wherever they are, and in any order: nothing of them is dropped. */
static void other_stacks(void **state)
{
	enter(1, 900, 10);
	enter(2, 100100, 20);
	enter(2, 100000, 20);
	enter(3, 800, 30);
	check_leave(800, 30, "3");
	enter(3, 100050, 30);
	check_leave(100000, 20, "2");
	check_leave(100100, 20, "2");
	check_leave(100050, 30, "3");
	check_leave(900, 10, "1");
}

static void tail_calls_on_other_stacks(void **state)
{
	enter(1, 100000, 10);
	enter(2, 100000, 10);
	enter(3, 100100, 10);
	check_leave(100000, 10, "21");
	check_leave(100100, 10, "3");
}

static void many_other_stacks(void **state)
{
	for (uint64_t i = 0; i < 5000; i++)
		enter(1, 100000 + 100 * i, 10);
	for (uint64_t i = 0; i < 5000; i++)
		check_leave(100000 + 100 * i, 10, "1");
}

static void jump(uint64_t from, uint64_t to)
{
	sprof_return_stack_jump(&stack, &(struct sprof_jump){from, to});
}

/* What longjmp leaves does not return, even where the thread comes to its return address. */
static void long_jumps(void **state)
{
	enter(1, 900, 10);
	enter(2, 800, 20);
	enter(3, 700, 30);
	jump(600, 800);
	check_leave(700, 30, "");
	check_leave(800, 20, "");
	check_leave(900, 10, "1");
	enter(2, 100200, 20);
	enter(3, 100100, 30);
	jump(100000, 100150);
	check_leave(100100, 30, "");
	check_leave(100200, 20, "2");
}

/* From one coroutine to another one, and back. */
static void long_jumps_switch_stacks(void **state)
{
	enter(1, 900, 10);
	enter(2, 100200, 20);
	enter(2, 200200, 20);
	jump(100100, 200100);
	check_leave(100200, 20, "");
	jump(200100, 100100);
	check_leave(100200, 20, "2");
	check_leave(200200, 20, "2");
	check_leave(900, 10, "1");
}

static void handlers_of_exceptions(void **state)
{
	enter(1, 900, 10);
	enter(2, 800, 20);
	sprof_return_stack_catch(&stack, 792);
	check_leave(800, 20, "");
	check_leave(900, 10, "1");
}

static void jumps_do_not_take_all_memory(void **state)
{
	for (int i = 0; i < 100000; i++)
		enter(1, i % 2 ? 900 : 100000, 10);
	assert_int_equal(stack.own.count, 1);
	assert_int_equal(stack.elsewhere.count, 1);
}

TEST_MAIN("return-stack")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(calls_within_each_other, finish),
		cmocka_unit_test_teardown(tail_calls_return_together, finish),
		cmocka_unit_test_teardown(jumps, finish),
		cmocka_unit_test_teardown(a_call_after_a_jump, finish),
		cmocka_unit_test_teardown(other_stacks, finish),
		cmocka_unit_test_teardown(tail_calls_on_other_stacks, finish),
		cmocka_unit_test_teardown(many_other_stacks, finish),
		cmocka_unit_test_teardown(long_jumps, finish),
		cmocka_unit_test_teardown(long_jumps_switch_stacks, finish),
		cmocka_unit_test_teardown(handlers_of_exceptions, finish),
		cmocka_unit_test_teardown(jumps_do_not_take_all_memory, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
