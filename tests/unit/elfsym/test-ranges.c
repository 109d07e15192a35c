/* Overlapping ranges: who wins where, checked against the definition for many random sets. */
#include <stdlib.h>

#include "elfsym/elf/ranges.h"
#include "tests/unit/check.h"

static void add(
	struct sprof_ranges *ranges, uint64_t low, uint64_t high, uint32_t value, uint32_t priority)
{
	struct sprof_range range = {low, high, value, priority};

	assert_true(sprof_ranges_add(ranges, &range));
}

static void test_empty(void **state)
{
	struct sprof_ranges ranges = {0};

	assert_true(sprof_ranges_settle(&ranges));
	assert_int_equal(sprof_ranges_find(&ranges, 0), SPROF_RANGES_NONE);
	add(&ranges, 5, 5, 1, 0);
	add(&ranges, 7, 6, 1, 0);
	assert_true(sprof_ranges_settle(&ranges));
	assert_int_equal(sprof_ranges_find(&ranges, 5), SPROF_RANGES_NONE);
	sprof_ranges_finish(&ranges);
}

static void test_nested(void **state)
{
	struct sprof_ranges ranges = {0};

	add(&ranges, 10, 100, 1, 0);
	add(&ranges, 20, 30, 2, 1);
	add(&ranges, 22, 25, 3, 2);
	add(&ranges, UINT64_MAX - 1, UINT64_MAX, 4, 0);
	add(&ranges, 210, 220, 5, 0);
	add(&ranges, 200, 210, 5, 0);
	assert_true(sprof_ranges_settle(&ranges));
	assert_int_equal(ranges.count, 7);
	assert_int_equal(sprof_ranges_find(&ranges, 9), SPROF_RANGES_NONE);
	assert_int_equal(sprof_ranges_find(&ranges, 10), 1);
	assert_int_equal(sprof_ranges_find(&ranges, 20), 2);
	assert_int_equal(sprof_ranges_find(&ranges, 24), 3);
	assert_int_equal(sprof_ranges_find(&ranges, 25), 2);
	assert_int_equal(sprof_ranges_find(&ranges, 99), 1);
	assert_int_equal(sprof_ranges_find(&ranges, 100), SPROF_RANGES_NONE);
	assert_int_equal(sprof_ranges_find(&ranges, UINT64_MAX - 1), 4);
	assert_int_equal(sprof_ranges_find(&ranges, UINT64_MAX), SPROF_RANGES_NONE);
	sprof_ranges_finish(&ranges);
}

enum { SETS = 300, RANGES = 12, SPACE = 40 };

static bool beats(const struct sprof_range *a, const struct sprof_range *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->low != b->low ? a->low > b->low : a->value > b->value;
}

/* The definition, without any cleverness. */
static uint32_t winner(const struct sprof_range *items, uint64_t address)
{
	const struct sprof_range *best = NULL;

	for (size_t i = 0; i < RANGES; i++)
		if (address >= items[i].low && address < items[i].high &&
			(!best || beats(&items[i], best)))
			best = &items[i];
	return best ? best->value : SPROF_RANGES_NONE;
}

static void test_random(void **state)
{
	struct sprof_range items[RANGES];

	srandom(1);
	for (int set = 0; set < SETS; set++) {
		struct sprof_ranges ranges = {0};

		for (uint32_t i = 0; i < RANGES; i++) {
			uint64_t low = (uint64_t)random() % SPACE;

			items[i] = (struct sprof_range){
				low, low + (uint64_t)random() % SPACE, i, (uint32_t)random() % 3};
			assert_true(sprof_ranges_add(&ranges, &items[i]));
		}
		assert_true(sprof_ranges_settle(&ranges));
		for (uint64_t address = 0; address < 2 * SPACE; address++)
			assert_int_equal(
				sprof_ranges_find(&ranges, address), winner(items, address));
		sprof_ranges_finish(&ranges);
	}
}

TEST_MAIN("ranges")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
