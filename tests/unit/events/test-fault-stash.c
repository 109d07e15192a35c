/*
 * events/fault-stash: records come out as they went in, in their order, and no more than there is room for.
 */
#include "events/faults/stash.h"

#include <string.h>

#include "tests/unit/check.h"

enum { STACK = 3000 };

static bool put(struct sprof_fault_stash *stash, uint64_t number, size_t stack_size)
{
	uint8_t stack[STACK];
	struct sprof_fault_kept kept = {
		.record = {.kind = SPROF_PERF_SAMPLE, .time_ns = number},
		.user = {.stack = stack_size ? stack : NULL, .stack_size = stack_size},
	};

	memset(stack, (int)(number & 0xff), sizeof(stack));
	return sprof_fault_stash_put(stash, &kept);
}

static void assert_next(struct sprof_fault_stash *stash, uint64_t number, size_t stack_size)
{
	struct sprof_fault_kept kept;

	assert_true(sprof_fault_stash_take(stash, &kept));
	assert_int_equal(kept.record.time_ns, number);
	assert_int_equal(kept.user.stack_size, stack_size);
	assert_int_equal(!kept.user.stack, !stack_size);
	for (size_t i = 0; i < stack_size; i++)
		assert_int_equal(kept.user.stack[i], number & 0xff);
}

static void the_oldest_comes_first(void **state)
{
	struct sprof_fault_stash stash = {0};
	struct sprof_fault_kept kept;
	uint64_t in = 0, out = 0;

	assert_false(sprof_fault_stash_take(&stash, &kept));
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 7; i++, in++)
			assert_true(put(&stash, in, in * 37 % STACK));
		for (int i = 0; i < 6; i++, out++)
			assert_next(&stash, out, out * 37 % STACK);
	}
	for (; out < in; out++)
		assert_next(&stash, out, out * 37 % STACK);
	assert_false(sprof_fault_stash_take(&stash, &kept));
	sprof_fault_stash_finish(&stash);
}

static void it_is_full_and_then_empty(void **state)
{
	struct sprof_fault_stash stash = {0};
	size_t in = 0;

	while (put(&stash, in, STACK))
		in++;
	assert_in_range(in, 1000, 100000);
	assert_false(put(&stash, 0, STACK));
	for (size_t i = 0; i < in; i++)
		assert_next(&stash, i, STACK);
	assert_true(put(&stash, 1, STACK));
	assert_next(&stash, 1, STACK);
	sprof_fault_stash_finish(&stash);
}

TEST_MAIN("fault-stash")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_comes_first),
		cmocka_unit_test(it_is_full_and_then_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
