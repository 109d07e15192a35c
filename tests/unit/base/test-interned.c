/*
 * base/interned: one item per key, in the order in which keys first came, also when memory runs short.
 */
#include "base/interned.h"

#include <stdlib.h>

#include "tests/unit/check.h"
#include "tests/unit/short-memory.h"

struct item {
	uint32_t number;
	uint64_t payload;
};

struct owner {
	struct sprof_idmap map;
	struct item *items;
	size_t count, capacity;
};

static struct sprof_interned table_of(struct owner *owner)
{
	return SPROF_INTERNED(&owner->map, owner->items, owner->count, owner->capacity);
}

static void finish(struct owner *owner)
{
	sprof_idmap_finish(&owner->map);
	free(owner->items);
}

static void the_same_key_is_the_same_item(void **state)
{
	struct owner owner = {0};
	struct sprof_interned table = table_of(&owner);
	uint32_t first, second, again;

	assert_true(sprof_intern(&table, sprof_key(1, 2), &(struct item){.number = 7}, &first));
	assert_true(sprof_intern(&table, sprof_key(2, 1), &(struct item){.number = 8}, &second));
	assert_true(sprof_intern(&table, sprof_key(1, 2), &(struct item){.number = 9}, &again));
	assert_int_equal(first, 0);
	assert_int_equal(second, 1);
	assert_int_equal(again, first);
	assert_int_equal(owner.count, 2);
	assert_int_equal(owner.items[0].number, 7);
	finish(&owner);
}

/* Each of the allocations fails once: what was there stays, and the next try succeeds. */
static void lack_of_memory_changes_nothing(void **state)
{
	enum { ITEMS = 100 };
	bool failed = true;

	for (unsigned long number = 1; failed; number++) {
		struct owner owner = {0};
		struct sprof_interned table = table_of(&owner);
		uint32_t id;

		short_memory_begin(number);
		for (uint32_t i = 0; i < ITEMS; i++) {
			const struct item item = {.number = i, .payload = i * 3};

			if (!sprof_intern(&table, sprof_key(0, i), &item, &id)) {
				assert_int_equal(owner.count, i);
				assert_int_equal(
					sprof_idmap_find(&owner.map, 0, i), SPROF_IDMAP_NONE);
				assert_true(sprof_intern(&table, sprof_key(0, i), &item, &id));
			}
			assert_int_equal(id, i);
		}
		failed = short_memory_end();
		for (uint32_t i = 0; i < ITEMS; i++)
			assert_int_equal(owner.items[i].payload, i * 3);
		finish(&owner);
	}
}

TEST_MAIN("interned")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_key_is_the_same_item),
		cmocka_unit_test(lack_of_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
