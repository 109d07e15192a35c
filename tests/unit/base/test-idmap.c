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
			assert_int_equal(
				sprof_idmap_find(&map, (uint64_t)high << 32, (uint64_t)low * 16),
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

/* Against a plain table of what must be there, with keys enough that runs of slots grow together. */
static void removed_keys_are_gone_and_all_others_stay(void **state)
{
	enum { KEYS = 3000 };
	struct sprof_idmap map = {0};
	static bool there[KEYS];
	uint64_t random = 1;
	size_t count = 0;

	sprof_idmap_remove(&map, 0, 0);
	for (int i = 0; i < 200000; i++) {
		uint32_t key;

		random = random * 6364136223846793005u + 1442695040888963407u;
		key = (uint32_t)(random >> 33) % KEYS;
		if (random >> 63) {
			assert_true(sprof_idmap_put(&map, 0, key, key));
			count += !there[key];
		} else {
			sprof_idmap_remove(&map, 0, key);
			count -= there[key];
		}
		there[key] = random >> 63;
	}
	assert_int_equal(map.count, count);
	for (uint32_t key = 0; key < KEYS; key++)
		assert_int_equal(
			sprof_idmap_find(&map, 0, key), there[key] ? key : SPROF_IDMAP_NONE);
	sprof_idmap_finish(&map);
}

static void a_map_of_what_comes_and_goes_stays_small(void **state)
{
	struct sprof_idmap map = {0};

	for (uint32_t i = 0; i < 1000000; i++) {
		assert_true(sprof_idmap_put(&map, 0, i, i));
		if (i >= 10)
			sprof_idmap_remove(&map, 0, i - 10);
	}
	assert_int_equal(map.count, 10);
	assert_int_equal(map.capacity, 64);
	sprof_idmap_finish(&map);
}

TEST_MAIN("idmap")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_finds_nothing),
		cmocka_unit_test(finds_each_of_many_similar_keys),
		cmocka_unit_test(both_halves_count),
		cmocka_unit_test(a_second_put_replaces),
		cmocka_unit_test(removed_keys_are_gone_and_all_others_stay),
		cmocka_unit_test(a_map_of_what_comes_and_goes_stays_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
