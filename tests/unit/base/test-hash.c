/*
 * base/hash: different short sequences of the words that occur have different hashes. Each hash is the
 * key of a map, as in the profile: an equal one would be found.
 */
#include "base/hash.h"

#include "base/idmap.h"
#include "tests/unit/check.h"

enum { WORDS = 40 };

/* What tables hold: numbers from 0, numbers in the upper half, pointers, ends of ranges. */
static uint64_t word_of(uint32_t i)
{
	const uint64_t pointer = 0x7f3a5c001230u;

	switch (i % 4) {
	case 0:
		return i / 4;
	case 1:
		return (uint64_t)(i / 4 + 1) << 32;
	case 2:
		return pointer + 16 * (uint64_t)i;
	default:
		return ~(uint64_t)(i / 4);
	}
}

static void put_new(struct sprof_idmap *map, const struct sprof_hash *hash)
{
	assert_int_equal(sprof_idmap_find(map, hash->high, hash->low), SPROF_IDMAP_NONE);
	assert_true(sprof_idmap_put(map, hash->high, hash->low, 1));
}

static void sequences_differ(void **state)
{
	struct sprof_idmap map = {0};
	struct sprof_hash empty = sprof_hash_start(0);

	put_new(&map, &empty);
	for (uint32_t i = 0; i < WORDS * WORDS * WORDS; i++) {
		struct sprof_hash three = sprof_hash_start(3), two = sprof_hash_start(2);
		struct sprof_hash one = sprof_hash_start(1);

		sprof_hash_add(&one, word_of(i));
		sprof_hash_add(&two, word_of(i % WORDS));
		sprof_hash_add(&two, word_of(i / WORDS));
		for (uint32_t rest = i, place = 0; place < 3; place++, rest /= WORDS)
			sprof_hash_add(&three, word_of(rest % WORDS));
		if (i < WORDS)
			put_new(&map, &one);
		if (i < WORDS * WORDS)
			put_new(&map, &two);
		put_new(&map, &three);
	}
	sprof_idmap_finish(&map);
}

static void pairs_differ(void **state)
{
	struct sprof_idmap map = {0};

	for (uint32_t i = 0; i < WORDS * WORDS; i++) {
		struct sprof_hash hash = sprof_hash_start(1);

		sprof_hash_add_pair(&hash, word_of(i % WORDS), word_of(i / WORDS));
		put_new(&map, &hash);
	}
	sprof_idmap_finish(&map);
}

TEST_MAIN("hash")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_differ),
		cmocka_unit_test(pairs_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
