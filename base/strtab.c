/*
 * Interned strings. The key is two 64-bit hashes of the text, so a false match needs a 128-bit
 * collision. The bytes are in large chunks that never move.
 */
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/idmap.h"

enum { CHUNK_SIZE = 64 * 1024 };

struct chunk {
	struct chunk *next;
	size_t used, size;
	char bytes[];
};

struct sprof_strtab {
	struct sprof_idmap map;
	const char **strings;
	size_t count, capacity;
	size_t size;
	struct chunk *chunks;
};

struct sprof_strtab *sprof_strtab_create(void)
{
	return calloc(1, sizeof(struct sprof_strtab));
}

void sprof_strtab_destroy(struct sprof_strtab *table)
{
	if (!table)
		return;
	for (struct chunk *chunk = table->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	sprof_idmap_finish(&table->map);
	free(table->strings);
	free(table);
}

static char *allocate(struct sprof_strtab *table, size_t size)
{
	struct chunk *chunk = table->chunks;

	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){.next = table->chunks, .size = room};
		table->chunks = chunk;
	}
	chunk->used += size;
	table->size += size;
	return chunk->bytes + chunk->used - size;
}

static void hash_twice(const char *text, size_t length, uint64_t *ret_high, uint64_t *ret_low)
{
	*ret_high = sprof_hash_bytes(text, length, SPROF_HASH_BASIS);
	*ret_low = sprof_hash_bytes(text, length, 0x84222325cbf29ce4u) + length;
}

const char *sprof_strtab_intern_bytes(struct sprof_strtab *table, const char *text, size_t length)
{
	uint64_t high, low;
	uint32_t found;
	char *copy;

	hash_twice(text, length, &high, &low);
	found = sprof_idmap_find(&table->map, high, low);
	if (found != SPROF_IDMAP_NONE)
		return table->strings[found];
	if (!sprof_array_reserve(
		    &table->strings, &table->capacity, table->count + 1, sizeof(*table->strings)))
		return NULL;
	copy = allocate(table, length + 1);
	if (!copy || !sprof_idmap_put(&table->map, high, low, (uint32_t)table->count))
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	table->strings[table->count++] = copy;
	return copy;
}

const char *sprof_strtab_intern(struct sprof_strtab *table, const char *text)
{
	return text ? sprof_strtab_intern_bytes(table, text, strlen(text)) : NULL;
}

bool sprof_strtab_copy(struct sprof_strtab *table, const char *text, const char **ret)
{
	*ret = sprof_strtab_intern(table, text);
	return *ret || !text;
}

const char *sprof_strtab_find(const struct sprof_strtab *table, const char *text)
{
	uint64_t high, low;
	uint32_t found;

	hash_twice(text, strlen(text), &high, &low);
	found = sprof_idmap_find(&table->map, high, low);
	return found == SPROF_IDMAP_NONE ? NULL : table->strings[found];
}

size_t sprof_strtab_size(const struct sprof_strtab *table)
{
	return table->size;
}
