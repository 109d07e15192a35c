/* Binary search: in arrays sorted by a member, a 64-bit key, and in anything else with an order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether the item with this index is before the place that is searched for. */
typedef bool sprof_is_before(const void *search, size_t index);

/*
 * The first index below `count` whose item is not before the place; `count` if there is none. All
 * items before the place precede all others. Inlined, so that the compiler sees the comparison.
 */
__attribute__((always_inline)) static inline size_t sprof_first_index(
	size_t count, sprof_is_before *is_before, const void *search)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (is_before(search, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * A search in items of one size by a uint64_t member at one offset. No pointer is computed before
 * an item is looked at: the items of an empty array may be NULL.
 */
struct sprof_key_search {
	const char *items;
	size_t size, offset;
	uint64_t key;
};

static inline bool sprof_key_is_at_most(const void *search, size_t index)
{
	const struct sprof_key_search *wanted = search;
	uint64_t key;

	memcpy(&key, wanted->items + index * wanted->size + wanted->offset, sizeof(key));
	return key <= wanted->key;
}

/* The index of the first item whose key is above the given one; `count` if there is none. */
static inline size_t sprof_upper_bound(
	const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
	const struct sprof_key_search search = {items, size, offset, key};

	return sprof_first_index(count, sprof_key_is_at_most, &search);
}

/* The index of the first item whose key is not below the given one. */
static inline size_t sprof_lower_bound(
	const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
	return key ? sprof_upper_bound(items, count, size, offset, key - 1) : 0;
}

/*
 * The last three arguments of both functions, for a member. It must be a uint64_t; other types do
 * not compile.
 */
/* clang-format off */
#define SPROF_KEY(items, member, key)                                                              \
	sizeof(*(items)),                                                                          \
	_Generic((items)->member, uint64_t: offsetof(__typeof__(*(items)), member)),               \
	(key)
/* clang-format on */
