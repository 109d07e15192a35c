/*
 * A hash map from a 128-bit key to a small integer, usually the index of an interned item in an
 * array.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_idmap_slot {
	uint64_t high, low;
	uint32_t value_plus_one; /* 0: free */
};

/* Zeroed is empty and valid. */
struct sprof_idmap {
	struct sprof_idmap_slot *slots;
	size_t count;
	size_t capacity; /* 0 or a power of two */
};

#define SPROF_IDMAP_NONE UINT32_MAX

/* The value stored under the key, or SPROF_IDMAP_NONE. */
uint32_t sprof_idmap_find(const struct sprof_idmap *map, uint64_t high, uint64_t low);

/* Stores value (less than SPROF_IDMAP_NONE) under the key, replacing an older one. Returns false if
 * out of memory. */
SPROF_MUST_USE bool sprof_idmap_put(
	struct sprof_idmap *map, uint64_t high, uint64_t low, uint32_t value);

/* Removes the key, if present. */
void sprof_idmap_remove(struct sprof_idmap *map, uint64_t high, uint64_t low);

void sprof_idmap_finish(struct sprof_idmap *map);
