/*
 * Interned records. The key is stored after all allocations, so it always leads to an item. Keys
 * are not kept beside the items: two items with the same 128 bits are the same item.
 */
#include "base/interned.h"

#include <string.h>

#include "base/array.h"

bool sprof_intern(const struct sprof_interned *table, struct sprof_hash key, const void *item,
	uint32_t *ret_index)
{
	uint32_t id = sprof_idmap_find(table->map, key.high, key.low);

	if (id == SPROF_IDMAP_NONE) {
		id = (uint32_t)*table->count;
		if (!sprof_array_reserve(
			    table->items, table->capacity, (size_t)id + 1, table->item_size) ||
			!sprof_idmap_put(table->map, key.high, key.low, id))
			return false;
		memcpy(*(char **)table->items + id * table->item_size, item, table->item_size);
		++*table->count;
	}
	*ret_index = id;
	return true;
}
