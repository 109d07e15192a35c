/*
 * base/array: growth, zeroed new memory, and an array that survives a refusal.
 */
#include "base/array.h"

#include <stdlib.h>

#include "tests/unit/check.h"

static void grows_and_keeps_what_it_holds(void **state)
{
	int *items = NULL;
	size_t capacity = 0;

	for (size_t count = 0; count < 10000; count++) {
		assert_true(sprof_array_reserve(&items, &capacity, count + 1, sizeof(*items)));
		assert_true(capacity > count);
		assert_int_equal(items[count], 0);
		items[count] = (int)count;
	}
	for (int i = 0; i < 10000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

static void moves_seldom(void **state)
{
	char *items = NULL;
	size_t capacity = 0, moves = 0;

	for (size_t count = 1; count < 100000; count++) {
		size_t before = capacity;

		assert_true(sprof_array_reserve(&items, &capacity, count, 1));
		moves += capacity != before;
	}
	assert_true(moves < 30);
	free(items);
}

static void reserving_what_is_there_changes_nothing(void **state)
{
	long *items = NULL;
	size_t capacity = 0;
	long *before;

	assert_true(sprof_array_reserve(&items, &capacity, 40, sizeof(*items)));
	before = items;
	assert_true(sprof_array_reserve(&items, &capacity, 0, sizeof(*items)));
	assert_true(sprof_array_reserve(&items, &capacity, capacity, sizeof(*items)));
	assert_ptr_equal(items, before);
	free(items);
}

static void an_impossible_size_is_refused(void **state)
{
	long *items = NULL;
	size_t capacity = 0;

	assert_true(sprof_array_reserve(&items, &capacity, 1, sizeof(*items)));
	items[0] = 42;
	assert_false(sprof_array_reserve(&items, &capacity, SIZE_MAX / 4, sizeof(*items)));
	assert_int_equal(items[0], 42);
	assert_int_equal(capacity, 16);
	free(items);
}

TEST_MAIN("array")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_and_keeps_what_it_holds),
		cmocka_unit_test(moves_seldom),
		cmocka_unit_test(reserving_what_is_there_changes_nothing),
		cmocka_unit_test(an_impossible_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
