/*
 * Open addressing with linear probing, at most half full. Removal leaves no tombstones: later
 * entries of the probe chain are shifted back.
 */
#include "base/idmap.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

/* Multiplies and folds both halves: addresses differ in few bits, and all must affect the index. */
static uint64_t hash(uint64_t high, uint64_t low)
{
	__uint128_t product =
		(__uint128_t)(low ^ 0x9e3779b97f4a7c15u) * ((high ^ 0xd6e8feb86659fd93u) | 1);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static struct sprof_idmap_slot *slot_for(const struct sprof_idmap *map, uint64_t high, uint64_t low)
{
	size_t mask = map->capacity - 1;
	size_t i = hash(high, low) & mask;

	for (;; i = (i + 1) & mask) {
		struct sprof_idmap_slot *slot = &map->slots[i];

		if (!slot->value_plus_one || (slot->low == low && slot->high == high))
			return slot;
	}
}

static bool grow(struct sprof_idmap *map)
{
	struct sprof_idmap bigger = {
		.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY,
		.count = map->count,
	};

	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < map->capacity; i++) {
		const struct sprof_idmap_slot *slot = &map->slots[i];

		if (slot->value_plus_one)
			*slot_for(&bigger, slot->high, slot->low) = *slot;
	}
	free(map->slots);
	*map = bigger;
	return true;
}

uint32_t sprof_idmap_find(const struct sprof_idmap *map, uint64_t high, uint64_t low)
{
	if (!map->capacity)
		return SPROF_IDMAP_NONE;
	return slot_for(map, high, low)->value_plus_one - 1;
}

bool sprof_idmap_put(struct sprof_idmap *map, uint64_t high, uint64_t low, uint32_t value)
{
	struct sprof_idmap_slot *slot;

	assert(value < SPROF_IDMAP_NONE);
	if (map->count * 2 >= map->capacity && !grow(map))
		return false;
	slot = slot_for(map, high, low);
	if (!slot->value_plus_one)
		map->count++;
	*slot = (struct sprof_idmap_slot){.high = high, .low = low, .value_plus_one = value + 1};
	return true;
}

/* Whether a gap lies between a key's home and the slot that holds it. */
static bool is_cut_off(size_t home, size_t gap, size_t slot, size_t mask)
{
	return ((slot - home) & mask) >= ((slot - gap) & mask);
}

void sprof_idmap_remove(struct sprof_idmap *map, uint64_t high, uint64_t low)
{
	size_t mask = map->capacity - 1, gap, i;

	if (sprof_idmap_find(map, high, low) == SPROF_IDMAP_NONE)
		return;
	map->count--;
	gap = (size_t)(slot_for(map, high, low) - map->slots);
	for (i = (gap + 1) & mask; map->slots[i].value_plus_one; i = (i + 1) & mask) {
		const struct sprof_idmap_slot *slot = &map->slots[i];

		if (!is_cut_off(hash(slot->high, slot->low) & mask, gap, i, mask))
			continue;
		map->slots[gap] = *slot;
		gap = i;
	}
	map->slots[gap] = (struct sprof_idmap_slot){0};
}

void sprof_idmap_finish(struct sprof_idmap *map)
{
	free(map->slots);
	*map = (struct sprof_idmap){0};
}
