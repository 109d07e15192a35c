/*
 * Interned records: an array with items found by key. The array is three plain fields of its owner,
 * as in base/array.h; a map beside it has the index for each key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/hash.h"
#include "base/idmap.h"

/* Points to the owner's map and array. */
struct sprof_interned {
	struct sprof_idmap *map;
	void *items; /* the address of the array pointer */
	size_t *count, *capacity;
	size_t item_size;
};

/* For example SPROF_INTERNED(&index->rows, profile->rows, profile->row_count,
 * profile->row_capacity) */
#define SPROF_INTERNED(of_map, of_items, of_count, of_capacity) \
	((struct sprof_interned){.map = (of_map), \
		.items = &(of_items), \
		.count = &(of_count), \
		.capacity = &(of_capacity), \
		.item_size = sizeof(*(of_items))})

/*
 * The index of the item with this key (all 128 bits are compared). If there is none, appends a copy
 * of *item; the caller can detect that by the count. Returns false, and changes nothing, if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_intern(const struct sprof_interned *table, struct sprof_hash key,
	const void *item, uint32_t *ret_index);

/* A key of two words, without hashing. */
static inline struct sprof_hash sprof_key(uint64_t high, uint64_t low)
{
	return (struct sprof_hash){.high = high, .low = low};
}
