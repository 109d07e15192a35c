/*
 * events/return-stack: which calls have returned, by scripts of calls and of places that a thread comes
 * to.
 */
#include "events/return-stack.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"

/* Addresses of the stack that a thread usually has, and of another one. */
enum { TOP = 0x40000000, ELSEWHERE = 0x10000000 };

/* Two places that calls return to. */
enum { HERE = 0x1000, THERE = 0x2000 };

static void enter(struct sprof_return_stack *stack, uint64_t address, uint64_t sp, int64_t number)
{
	const struct sprof_return call = {.address = address, .sp = sp, .number = number};

	assert_true(sprof_return_stack_enter(stack, &call));
}

/* The numbers of all calls that have returned there, in their order, such as "2 1". */
static void expect_returned(
	struct sprof_return_stack *stack, uint64_t address, uint64_t sp, const char *expected)
{
	struct sprof_return returned;
	char seen[64] = "";

	while (sprof_return_stack_leave(stack, address, sp, &returned)) {
		assert_int_equal(returned.address, address);
		assert_int_equal(returned.sp, sp);
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%d", *seen ? " " : "",
			(int)returned.number);
	}
	assert_string_equal(seen, expected);
}

static void a_call_returns_once(void **state)
{
	struct sprof_return_stack stack = {0};

	expect_returned(&stack, HERE, TOP, "");
	enter(&stack, HERE, TOP, 7);
	expect_returned(&stack, HERE, TOP, "7");
	expect_returned(&stack, HERE, TOP, "");
	assert_int_equal(stack.count, 0);
	sprof_return_stack_finish(&stack);
}

static void activations_of_one_function_return_one_by_one(void **state)
{
	struct sprof_return_stack stack = {0};

	enter(&stack, THERE, TOP, 0);
	for (uint64_t depth = 1; depth < 1000; depth++)
		enter(&stack, HERE, TOP - 32 * depth, (int64_t)depth);
	for (uint64_t depth = 999; depth > 0; depth--) {
		char expected[16];

		snprintf(expected, sizeof(expected), "%d", (int)depth);
		expect_returned(&stack, HERE, TOP - 32 * depth, expected);
	}
	expect_returned(&stack, THERE, TOP, "0");
	sprof_return_stack_finish(&stack);
}

/* A function that jumps into another one leaves it its own return address. */
static void tail_calls_return_together(void **state)
{
	struct sprof_return_stack stack = {0};

	enter(&stack, THERE, TOP, 1);
	enter(&stack, HERE, TOP - 64, 2);
	enter(&stack, HERE, TOP - 64, 3);
	enter(&stack, HERE, TOP - 64, 4);
	expect_returned(&stack, HERE, TOP - 64, "4 3 2");
	expect_returned(&stack, THERE, TOP, "1");
	sprof_return_stack_finish(&stack);
}

static void what_a_longjmp_leaves_never_returns(void **state)
{
	struct sprof_return_stack stack = {0};

	enter(&stack, HERE, TOP, 1);
	enter(&stack, HERE, TOP - 64, 2);
	enter(&stack, HERE, TOP - 128, 3);
	/* Back in the function that call 1 has begun, which calls another. */
	enter(&stack, THERE, TOP - 48, 4);
	assert_int_equal(stack.count, 2);
	expect_returned(&stack, THERE, TOP - 48, "4");
	/* And once more, straight to a place where a call returns. */
	enter(&stack, HERE, TOP - 64, 5);
	enter(&stack, THERE, TOP - 128, 6);
	expect_returned(&stack, HERE, TOP, "1");
	assert_int_equal(stack.count, 0);
	sprof_return_stack_finish(&stack);
}

/* Such a place is the end of several calls, and may be where a jump leads. */
static void a_place_where_nobody_returns_changes_nothing(void **state)
{
	struct sprof_return_stack stack = {0};

	enter(&stack, HERE, TOP, 1);
	enter(&stack, HERE, TOP - 64, 2);
	expect_returned(&stack, THERE, TOP - 64, "");
	expect_returned(&stack, HERE, TOP - 72, "");
	expect_returned(&stack, HERE, TOP - 128, "");
	assert_int_equal(stack.count, 2);
	expect_returned(&stack, HERE, TOP - 64, "2");
	expect_returned(&stack, HERE, TOP, "1");
	sprof_return_stack_finish(&stack);
}

/* As that of a signal handler, below or above the other one. */
static void calls_on_another_stack_leave_those_of_the_first(void **state)
{
	struct sprof_return_stack stack = {0};

	enter(&stack, HERE, ELSEWHERE, 1);
	enter(&stack, THERE, TOP, 2);
	assert_int_equal(stack.count, 2);
	expect_returned(&stack, THERE, TOP, "2");
	expect_returned(&stack, HERE, ELSEWHERE, "1");
	enter(&stack, HERE, TOP, 3);
	enter(&stack, THERE, ELSEWHERE, 4);
	expect_returned(&stack, THERE, ELSEWHERE, "4");
	expect_returned(&stack, HERE, TOP, "3");
	sprof_return_stack_finish(&stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_returns_once),
		cmocka_unit_test(activations_of_one_function_return_one_by_one),
		cmocka_unit_test(tail_calls_return_together),
		cmocka_unit_test(what_a_longjmp_leaves_never_returns),
		cmocka_unit_test(a_place_where_nobody_returns_changes_nothing),
		cmocka_unit_test(calls_on_another_stack_leave_those_of_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
