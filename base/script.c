/*
 * Functions in chunks that never move. Offsets stay below 2^53, which every format can represent.
 * interp/ finds the functions.
 */
#include "base/script.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/strtab.h"

enum {
	LINE_BITS = 22,
	CHUNK = 256,
	CHUNKS = 256, /* more functions than any file has */
};

struct sprof_script {
	struct sprof_script_function *chunks[CHUNKS];
	_Atomic uint32_t count;     /* written last */
	struct sprof_idmap by_name; /* (name pointer, line) */
	struct sprof_strtab *names;
};

struct sprof_script *sprof_script_create(void)
{
	struct sprof_script *script = calloc(1, sizeof(*script));

	if (!script)
		return NULL;
	script->names = sprof_strtab_create();
	if (script->names)
		return script;
	free(script);
	return NULL;
}

void sprof_script_destroy(struct sprof_script *script)
{
	if (!script)
		return;
	for (size_t i = 0; i < CHUNKS; i++)
		free(script->chunks[i]);
	sprof_idmap_finish(&script->by_name);
	sprof_strtab_destroy(script->names);
	free(script);
}

bool sprof_script_intern(
	struct sprof_script *script, const char *name, uint32_t line, uint32_t *ret_function)
{
	const char *own = sprof_strtab_intern(script->names, name);
	const uint32_t id = script->count;
	struct sprof_script_function **chunk;

	if (!own)
		return false;
	*ret_function = sprof_idmap_find(&script->by_name, (uintptr_t)own, line);
	if (*ret_function != SPROF_IDMAP_NONE)
		return true;
	if (id >= CHUNK * CHUNKS)
		return false;
	chunk = &script->chunks[id / CHUNK];
	if (!*chunk)
		*chunk = calloc(CHUNK, sizeof(**chunk));
	if (!*chunk || !sprof_idmap_put(&script->by_name, (uintptr_t)own, line, id))
		return false;
	(*chunk)[id % CHUNK] = (struct sprof_script_function){own, line};
	atomic_store_explicit(&script->count, id + 1, memory_order_release);
	*ret_function = id;
	return true;
}

uint64_t sprof_script_offset(uint32_t function, uint32_t line)
{
	return (uint64_t)function << LINE_BITS | (line >> LINE_BITS ? 0 : line);
}

const struct sprof_script_function *sprof_script_find(
	const struct sprof_script *script, uint64_t offset, uint32_t *ret_line)
{
	const uint64_t function = offset >> LINE_BITS;

	*ret_line = offset & ((UINT32_C(1) << LINE_BITS) - 1);
	if (function >= atomic_load_explicit(&script->count, memory_order_acquire))
		return NULL;
	return &script->chunks[function / CHUNK][function % CHUNK];
}
