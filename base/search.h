/*
 * Binary search in arrays that are sorted by a 64-bit key: a member of their items.
 */
#ifndef SPROF_BASE_SEARCH_H
#define SPROF_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The index of the first item whose key is above the given one; `count` if there is none. */
static inline size_t sprof_upper_bound(
	const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		uint64_t found;

		memcpy(&found, (const char *)items + middle * size + offset, sizeof(found));
		if (found <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The index of the first item whose key is not below the given one. */
static inline size_t sprof_lower_bound(
	const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
	return key ? sprof_upper_bound(items, count, size, offset, key - 1) : 0;
}

/* The last three parameters of both for a member; one of another type than uint64_t does not compile. */
/* clang-format off */
#define SPROF_KEY(items, member, key)                                                              \
	sizeof(*(items)),                                                                          \
	_Generic((items)->member, uint64_t: offsetof(__typeof__(*(items)), member)),               \
	(key)
/* clang-format on */

#endif
