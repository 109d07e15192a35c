/*
 * base/deadlock: cycles among waiting threads, compared with a search that can't be wrong.
 */
#include "base/deadlock.h"

#include <stdlib.h>

#include "tests/unit/check.h"

#define NONE SPROF_DEADLOCK_NO_HOLDER

static void check(const uint32_t *holders, size_t count, const uint32_t *expected, uint32_t cycles)
{
	uint32_t found[8];

	assert_int_equal(sprof_deadlocks_find(holders, count, found), cycles);
	assert_memory_equal(found, expected, count * sizeof(*expected));
}

static void nobody_waits(void **state)
{
	const uint32_t holders[] = {NONE, NONE, NONE}, none[3] = {0};

	check(holders, 3, none, 0);
	check(holders, 0, none, 0);
}

static void a_row_of_waiters_is_no_cycle(void **state)
{
	const uint32_t holders[] = {1, 2, 3, NONE, 3, 77}, none[6] = {0};

	check(holders, 6, none, 0);
}

static void two_wait_for_each_other(void **state)
{
	const uint32_t holders[] = {NONE, 2, 1}, expected[] = {0, 1, 1};

	check(holders, 3, expected, 1);
}

static void who_waits_for_a_cycle_is_not_in_it(void **state)
{
	const uint32_t before[] = {1, 2, 3, 1}, before_cycle[] = {0, 1, 1, 1};
	const uint32_t after[] = {1, 2, 0, 1, 3}, after_cycle[] = {1, 1, 1, 0, 0};

	check(before, 4, before_cycle, 1);
	check(after, 5, after_cycle, 1);
}

static void one_waits_for_itself(void **state)
{
	const uint32_t holders[] = {1, 1, 1}, expected[] = {0, 1, 0};

	check(holders, 3, expected, 1);
}

static void several_are_numbered_by_their_first_threads(void **state)
{
	const uint32_t holders[] = {1, 5, 4, NONE, 2, 1, 6};
	const uint32_t expected[] = {0, 1, 2, 0, 2, 1, 3};

	check(holders, 7, expected, 3);
}

/* A thread is in a cycle if the way from it comes back to it. */
static uint32_t first_of_cycle(const uint32_t *holders, size_t count, uint32_t thread)
{
	uint32_t at = thread, first = thread;

	for (size_t i = 0; i < count; i++) {
		at = holders[at];
		if (at >= count)
			return NONE;
		first = at < first ? at : first;
		if (at == thread)
			return first;
	}
	return NONE;
}

static void any_graph(void **state)
{
	enum { THREADS = 40, ROUNDS = 3000 };
	uint32_t holders[THREADS], found[THREADS];

	srandom(1);
	for (int round = 0; round < ROUNDS; round++) {
		size_t count = (size_t)random() % THREADS + 1;
		uint32_t cycles, seen = 0;

		for (size_t i = 0; i < count; i++)
			holders[i] = random() % 4 ? (uint32_t)((size_t)random() % count) : NONE;
		cycles = sprof_deadlocks_find(holders, count, found);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t first = first_of_cycle(holders, count, i);

			assert_int_equal(found[i] != 0, first != NONE);
			if (first != NONE)
				assert_int_equal(found[i], first == i ? ++seen : found[first]);
		}
		assert_int_equal(cycles, seen);
	}
}

TEST_MAIN("deadlock")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits),
		cmocka_unit_test(a_row_of_waiters_is_no_cycle),
		cmocka_unit_test(two_wait_for_each_other),
		cmocka_unit_test(who_waits_for_a_cycle_is_not_in_it),
		cmocka_unit_test(one_waits_for_itself),
		cmocka_unit_test(several_are_numbered_by_their_first_threads),
		cmocka_unit_test(any_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
