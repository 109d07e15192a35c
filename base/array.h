/*
 * Growable arrays: three plain fields (items, count, capacity) in the owner's struct, one function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

/*
 * Makes room for `count` items of `item_size` bytes. `items` is the address of the array pointer.
 * The array grows by at least half its size, so appending is cheap; new memory is zeroed. Returns
 * false, and leaves the array unchanged, if out of memory.
 */
SPROF_MUST_USE bool sprof_array_reserve(
	void *items, size_t *capacity, size_t count, size_t item_size);

/* Appends an item. Is false, and leaves the array unchanged, if out of memory. */
#define SPROF_ARRAY_APPEND(items, count, capacity, ...) \
	(sprof_array_reserve(&(items), &(capacity), (count) + 1, sizeof(*(items))) && \
		((items)[(count)++] = (__VA_ARGS__), true))
