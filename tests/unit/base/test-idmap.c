/*
 * base/idmap: many keys that differ in few bits, replacement, and the empty map.
 */
#include "base/idmap.h"

#include "tests/unit/check.h"

static void an_empty_map_finds_nothing(void **state)
{
	struct sprof_idmap map = {0};

	assert_int_equal(sprof_idmap_find(&map, 0, 0), SPROF_IDMAP_NONE);
	sprof_idmap_finish(&map);
}

static void finds_each_of_many_similar_keys(void **state)
{
	struct sprof_idmap map = {0};
	const uint32_t side = 300;

	for (uint32_t high = 0; high < side; high++) {
		for (uint32_t low = 0; low < side; low++)
			assert_true(sprof_idmap_put(
				&map, (uint64_t)high << 32, (uint64_t)low * 16, high * side + low));
	}
	assert_int_equal(map.count, side * side);
	for (uint32_t high = 0; high < side; high++) {
		for (uint32_t low = 0; low < side; low++)
			assert_int_equal(sprof_idmap_find(&map, (uint64_t)high << 32, (uint64_t)low * 16),
				high * side + low);
	}
	assert_int_equal(sprof_idmap_find(&map, 1, 0), SPROF_IDMAP_NONE);
	assert_int_equal(sprof_idmap_find(&map, 0, 1), SPROF_IDMAP_NONE);
	sprof_idmap_finish(&map);
	assert_int_equal(map.capacity, 0);
}

static void both_halves_count(void **state)
{
	struct sprof_idmap map = {0};

	assert_true(sprof_idmap_put(&map, 1, 2, 12));
	assert_true(sprof_idmap_put(&map, 2, 1, 21));
	assert_true(sprof_idmap_put(&map, 0, 0, 0));
	assert_int_equal(sprof_idmap_find(&map, 1, 2), 12);
	assert_int_equal(sprof_idmap_find(&map, 2, 1), 21);
	assert_int_equal(sprof_idmap_find(&map, 0, 0), 0);
	sprof_idmap_finish(&map);
}

static void a_second_put_replaces(void **state)
{
	struct sprof_idmap map = {0};

	assert_true(sprof_idmap_put(&map, 5, 5, 1));
	assert_true(sprof_idmap_put(&map, 5, 5, SPROF_IDMAP_NONE - 1));
	assert_int_equal(map.count, 1);
	assert_int_equal(sprof_idmap_find(&map, 5, 5), SPROF_IDMAP_NONE - 1);
	sprof_idmap_finish(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_finds_nothing),
		cmocka_unit_test(finds_each_of_many_similar_keys),
		cmocka_unit_test(both_halves_count),
		cmocka_unit_test(a_second_put_replaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
