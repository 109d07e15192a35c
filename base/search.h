/* Binary search: in arrays sorted by a member, a 64-bit key, and in anything else with an order. */
#ifndef SPROF_BASE_SEARCH_H
#define SPROF_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The first index below `count` for which the condition, an expression of `index`, does not hold;
 * `count` if there is none. It must not hold for any later index.
 */
#define SPROF_FIRST_INDEX_UNLESS(count, index, condition) \
	({ \
		size_t low_ = 0, high_ = (count); \
\
		while (low_ < high_) { \
			const size_t index = low_ + (high_ - low_) / 2; \
\
			if (condition) \
				low_ = index + 1; \
			else \
				high_ = index; \
		} \
		low_; \
	})

static inline uint64_t sprof_key_at(const void *member)
{
	uint64_t key;

	memcpy(&key, member, sizeof(key));
	return key;
}

/* The index of the first item whose key is above the given one; `count` if there is none. */
static inline size_t sprof_upper_bound(
	const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
	return SPROF_FIRST_INDEX_UNLESS(
		count, i, sprof_key_at((const char *)items + i * size + offset) <= key);
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

#endif
