/*
 * The table of modules: identity and ownership. attach/ finds and opens a module's file; elfsym/
 * reads it.
 */
#include "base/module.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/strings.h"
#include "base/strtab.h"

enum {
	FIRST_BITS = 6, /* the first chunk has 64 places; each later one doubles the total */
	CHUNKS = 32 - FIRST_BITS + 1,
};

struct sprof_modules {
	struct sprof_module *
		*chunks[CHUNKS];   /* chunks must never move: another thread may be reading them */
	_Atomic uint32_t count;    /* written last, after the module that it counts is readable */
	struct sprof_idmap by_key; /* (path pointer + kind + deleted, device + inode) */
	struct sprof_strtab *paths;
	uint64_t generation; /* the last one given out */
};

/* The position of a module. Each chunk except the first starts at a power of two. */
struct place {
	unsigned chunk;
	size_t index, size; /* index in the chunk, size of the chunk */
};

static struct place place_of(uint32_t id)
{
	unsigned bits = id >> FIRST_BITS ? 32 - (unsigned)__builtin_clz(id) : FIRST_BITS;
	size_t size = (size_t)1 << (bits - (bits > FIRST_BITS));

	return (struct place){bits - FIRST_BITS, id & (size - 1), size};
}

static struct sprof_module *get(const struct sprof_modules *modules, uint32_t id)
{
	struct place place = place_of(id);

	return modules->chunks[place.chunk][place.index];
}

struct sprof_modules *sprof_modules_create(void)
{
	struct sprof_modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return NULL;
	modules->paths = sprof_strtab_create();
	if (!modules->paths) {
		free(modules);
		return NULL;
	}
	return modules;
}

static void destroy(struct sprof_module *module)
{
	if (module->fd >= 0)
		close(module->fd);
	if (module->root_fd >= 0)
		close(module->root_fd);
	sprof_script_destroy(module->script);
	free(module->image);
	free(module);
}

void sprof_modules_destroy(struct sprof_modules *modules)
{
	if (!modules)
		return;
	for (uint32_t id = 0; id < modules->count; id++)
		destroy(get(modules, id));
	for (size_t i = 0; i < CHUNKS; i++)
		free(modules->chunks[i]);
	sprof_idmap_finish(&modules->by_key);
	sprof_strtab_destroy(modules->paths);
	free(modules);
}

static struct sprof_module *append(
	struct sprof_modules *modules, const struct sprof_module_key *key, const char *path)
{
	uint32_t id = modules->count;
	struct place place = place_of(id);
	struct sprof_module ***chunk = &modules->chunks[place.chunk], *module;
	struct sprof_script *script;

	if (!*chunk)
		*chunk = calloc(place.size, sizeof(**chunk));
	if (!*chunk)
		return NULL;
	module = calloc(1, sizeof(*module));
	script = module && key->kind == SPROF_MODULE_SCRIPT ? sprof_script_create() : NULL;
	if (!module || (key->kind == SPROF_MODULE_SCRIPT && !script)) {
		free(module);
		return NULL;
	}
	*module = (struct sprof_module){
		.id = id,
		.kind = key->kind,
		.path = path,
		.deleted = key->deleted,
		.device = key->device,
		.inode = key->inode,
		.fd = -1,
		.root_fd = -1,
		.script = script,
	};
	(*chunk)[place.index] = module;
	atomic_store_explicit(&modules->count, id + 1, memory_order_release);
	return module;
}

/*
 * An inode fits 64 bits and a device 32. After folding, a collision is possible only if the paths
 * are equal too.
 */
struct folded {
	uint64_t high, low;
};

static struct folded fold(const struct sprof_module_key *key, const char *path)
{
	return (struct folded){
		.high = (uint64_t)(uintptr_t)path * 8 + (uint64_t)key->kind * 2 + key->deleted,
		.low = key->inode ^ (key->device << 40 | key->device >> 24),
	};
}

static struct sprof_module *find(
	const struct sprof_modules *modules, const struct sprof_module_key *key, const char *path)
{
	struct folded folded = fold(key, path);
	uint32_t found = sprof_idmap_find(&modules->by_key, folded.high, folded.low);

	return found == SPROF_IDMAP_NONE ? NULL : get(modules, found);
}

/* Adds a new module, and enters its key. */
static struct sprof_module *add(
	struct sprof_modules *modules, const struct sprof_module_key *key, const char *path)
{
	struct folded folded = fold(key, path);
	struct sprof_module *module = append(modules, key, path);

	if (!module || !sprof_idmap_put(&modules->by_key, folded.high, folded.low, module->id))
		return NULL;
	return module;
}

/* The module of a file that has since been deleted, if it is open. */
static struct sprof_module *find_undeleted(
	const struct sprof_modules *modules, const struct sprof_module_key *key, const char *path)
{
	struct sprof_module_key before = *key;
	struct sprof_module *module;

	before.deleted = false;
	module = key->deleted ? find(modules, &before, path) : NULL;
	if (!module || module->fd < 0)
		return NULL;
	module->deleted = true;
	return module;
}

struct sprof_module *sprof_modules_intern(
	struct sprof_modules *modules, const struct sprof_module_key *key, bool *ret_new)
{
	const char *path = sprof_strtab_intern(modules->paths, key->path);
	struct sprof_module *module;

	if (!path)
		return NULL;
	module = find(modules, key, path);
	if (!module)
		module = find_undeleted(modules, key, path);
	*ret_new = !module;
	if (module)
		return module;
	return add(modules, key, path);
}

struct sprof_module *sprof_modules_renew(struct sprof_modules *modules, uint32_t id)
{
	struct sprof_module *module = sprof_modules_get(modules, id), *current;
	const struct sprof_module_key key = {
		.kind = module->kind,
		.device = module->device,
		.inode = module->inode,
		.deleted = module->deleted,
	};

	if (!sprof_module_is_overwritten(module))
		return module;
	current = find(modules, &key, module->path);
	if (current && !sprof_module_is_overwritten(current))
		return current;
	return add(modules, &key, module->path);
}

uint64_t sprof_modules_next_generation(struct sprof_modules *modules)
{
	return ++modules->generation;
}

size_t sprof_modules_count(const struct sprof_modules *modules)
{
	return modules ? atomic_load_explicit(&modules->count, memory_order_acquire) : 0;
}

struct sprof_module *sprof_modules_get(const struct sprof_modules *modules, uint32_t id)
{
	return get(modules, id);
}

bool sprof_module_is_overwritten(const struct sprof_module *module)
{
	return module->kind == SPROF_MODULE_FILE && module->fd >= 0 &&
		!sprof_file_stamp_holds(&module->stamp, module->fd);
}

const char *sprof_module_name(const struct sprof_module *module)
{
	const char *name = sprof_string_file_name(module->path);

	return name[0] ? name : module->path;
}

/* Other programs' files have "[kernel.kallsyms]" and the like. */
bool sprof_module_is_generated(const struct sprof_module *module)
{
	return module->kind == SPROF_MODULE_ANONYMOUS && module->path[0] &&
		!sprof_string_starts_with(module->path, "[kernel") &&
		strcmp(module->path, SPROF_MODULE_UPROBES) != 0 &&
		strcmp(module->path, SPROF_MODULE_VSYSCALL) != 0;
}

bool sprof_module_is_library(const char *path)
{
	for (const char *at = sprof_string_file_name(path); (at = strstr(at, ".so")); at++) {
		if (at[3] == '\0' || at[3] == '.')
			return true;
	}
	return false;
}

uint32_t sprof_modules_program(const struct sprof_modules *modules)
{
	const uint32_t count = (uint32_t)sprof_modules_count(modules);
	uint32_t first = count;

	for (uint32_t i = 0; i < count; i++) {
		const struct sprof_module *module = sprof_modules_get(modules, i);

		if (module->kind != SPROF_MODULE_FILE)
			continue;
		if (!sprof_module_is_library(module->path))
			return i;
		if (first == count)
			first = i;
	}
	return first;
}
