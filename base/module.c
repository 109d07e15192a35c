/*
 * The table of modules. Knows identity and ownership; how a module's file is found and opened is
 * attach/'s matter, what is inside is elfsym/'s.
 */
#include "base/module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/idmap.h"
#include "base/strtab.h"

struct sprof_modules {
	struct sprof_module **items;
	size_t count, capacity;
	struct sprof_idmap by_key; /* (path pointer + kind + deleted, device + inode) */
	struct sprof_strtab *paths;
};

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

void sprof_modules_destroy(struct sprof_modules *modules)
{
	if (!modules)
		return;
	for (size_t i = 0; i < modules->count; i++) {
		if (modules->items[i]->fd >= 0)
			close(modules->items[i]->fd);
		if (modules->items[i]->root_fd >= 0)
			close(modules->items[i]->root_fd);
		free(modules->items[i]->image);
		free(modules->items[i]);
	}
	free(modules->items);
	sprof_idmap_finish(&modules->by_key);
	sprof_strtab_destroy(modules->paths);
	free(modules);
}

static struct sprof_module *append(
	struct sprof_modules *modules, const struct sprof_module_key *key, const char *path)
{
	struct sprof_module *module;

	if (!sprof_array_reserve(&modules->items, &modules->capacity, modules->count + 1,
		    sizeof(*modules->items)))
		return NULL;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	*module = (struct sprof_module){
		.id = (uint32_t)modules->count,
		.kind = key->kind,
		.path = path,
		.deleted = key->deleted,
		.device = key->device,
		.inode = key->inode,
		.fd = -1,
		.root_fd = -1,
	};
	modules->items[modules->count++] = module;
	return module;
}

/*
 * An inode fits 64 bits and a device 32; folding them leaves a collision to chance only if the paths
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

static struct sprof_module *find(const struct sprof_modules *modules,
	const struct sprof_module_key *key, const char *path)
{
	struct folded folded = fold(key, path);
	uint32_t found = sprof_idmap_find(&modules->by_key, folded.high, folded.low);

	return found == SPROF_IDMAP_NONE ? NULL : modules->items[found];
}

/* A new module, which is found by the key from now on. */
static struct sprof_module *add(
	struct sprof_modules *modules, const struct sprof_module_key *key, const char *path)
{
	struct folded folded = fold(key, path);
	struct sprof_module *module = append(modules, key, path);

	if (!module || !sprof_idmap_put(&modules->by_key, folded.high, folded.low, module->id))
		return NULL;
	return module;
}

/* The module of a file that has been deleted since, if it is open. */
static struct sprof_module *find_undeleted(const struct sprof_modules *modules,
	const struct sprof_module_key *key, const char *path)
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

struct sprof_module *sprof_modules_succeed(
	struct sprof_modules *modules, const struct sprof_module *module)
{
	const struct sprof_module_key key = {
		.kind = module->kind,
		.device = module->device,
		.inode = module->inode,
		.deleted = module->deleted,
	};

	return add(modules, &key, module->path);
}

size_t sprof_modules_count(const struct sprof_modules *modules)
{
	return modules->count;
}

struct sprof_module *sprof_modules_get(const struct sprof_modules *modules, uint32_t id)
{
	return modules->items[id];
}

bool sprof_module_is_overwritten(const struct sprof_module *module)
{
	return module->kind == SPROF_MODULE_FILE && module->fd >= 0 &&
		!sprof_file_stamp_holds(&module->stamp, module->fd);
}

const char *sprof_module_name(const struct sprof_module *module)
{
	const char *slash = strrchr(module->path, '/');

	return slash && slash[1] ? slash + 1 : module->path;
}
