/*
 * base/search: both bounds of every key, among equal keys, at the ends, and in no items.
 */
#include "base/search.h"

#include "tests/unit/check.h"

struct item {
	uint32_t other;
	uint64_t key;
};

static void bounds_of_every_key(void **state)
{
	static const struct item items[] = {
		{9, 0}, {8, 2}, {7, 2}, {6, 2}, {5, 5}, {4, UINT64_MAX}, {3, UINT64_MAX}};
	enum { COUNT = sizeof(items) / sizeof(items[0]) };
	static const uint64_t keys[] = {0, 1, 2, 3, 4, 5, 6, UINT64_MAX - 1, UINT64_MAX};

	for (size_t count = 0; count <= COUNT; count++) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			size_t below = 0, upto = 0;

			for (size_t at = 0; at < count; at++) {
				below += items[at].key < keys[i];
				upto += items[at].key <= keys[i];
			}
			assert_int_equal(
				sprof_lower_bound(items, count, SPROF_KEY(items, key, keys[i])),
				below);
			assert_int_equal(
				sprof_upper_bound(items, count, SPROF_KEY(items, key, keys[i])),
				upto);
		}
	}
}

static void no_array(void **state)
{
	const struct item *items = NULL;

	assert_int_equal(sprof_upper_bound(items, 0, SPROF_KEY(items, key, 7)), 0);
	assert_int_equal(sprof_lower_bound(items, 0, SPROF_KEY(items, key, 7)), 0);
}

TEST_MAIN("search")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_of_every_key),
		cmocka_unit_test(no_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
