/*
 * Makes mappings and modules of the lines of maps: which of them form a module, and how it is
 * named. base/maps-text.c parses a line, attach/module/read-maps.c opens the files.
 */
#include "attach/proc/maps.h"

#include <stdlib.h>
#include <string.h>

#include "attach/proc/jit.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/maps-text.h"
#include "base/search.h"

/* The kernel writes a newline in a path as \012 (fs/proc/task_mmu.c, seq_file's mangle_path). */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		bool newline = !strncmp(from, "\\012", 4);

		*to = newline ? '\n' : *from;
		from += newline ? 4 : 1;
	}
	*to = '\0';
}

static bool strip_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path);

	if (length < sizeof(mark) || strcmp(path + length - (sizeof(mark) - 1), mark))
		return false;
	path[length - (sizeof(mark) - 1)] = '\0';
	return true;
}

/* A file, or memory that the kernel made. */
static struct sprof_module_key key_of(const struct sprof_maps_line *line, pid_t pid, char *path)
{
	struct sprof_module_key key = {
		.kind = SPROF_MODULE_FILE,
		.device = line->device,
		.inode = line->inode,
		.path = path,
	};

	if (line->inode) {
		unescape(path);
		key.deleted = strip_deleted(path);
		return key;
	}
	key.kind = SPROF_MODULE_ANONYMOUS;
	key.device = 0;
	key.inode = 0;
	if (!strcmp(path, "[vdso]")) {
		key.kind = SPROF_MODULE_MEMORY;
		return key;
	}
	/* The kernel's, shared by all: a recording of days sees millions of processes. */
	if (!strcmp(path, SPROF_MODULE_VSYSCALL))
		return key;
	key.inode = (uint64_t)pid;
	return key;
}

uint32_t sprof_maps_module_of(
	const struct sprof_maps_line *line, pid_t pid, struct sprof_modules *modules)
{
	SPROF_AUTO_FREE char *path = strndup(line->path, line->path_length);
	struct sprof_module_key key;
	struct sprof_module *module;
	bool new;

	if (!path)
		return SPROF_MAPPING_NO_MODULE;
	key = key_of(line, pid, path);
	module = sprof_modules_intern(modules, &key, &new);
	if (!module)
		return SPROF_MAPPING_NO_MODULE;
	if (new &&key.kind != SPROF_MODULE_ANONYMOUS)
		module->mapped_at = line->start - line->offset;
	return module->id;
}

bool sprof_maps_parse(
	struct sprof_maps *ret, const char *text, pid_t pid, struct sprof_modules *modules)
{
	const char *const whole = text;
	uint32_t jit = SPROF_MAPPING_NO_MODULE;
	struct sprof_maps_line line;

	*ret = (struct sprof_maps){.pid = pid};
	while (sprof_maps_parse_line(&text, &line)) {
		struct sprof_mapping mapping = {
			.start = line.start,
			.end = line.end,
			.offset = line.offset,
			.executable = line.executable,
			.module = SPROF_MAPPING_NO_MODULE,
		};

		if (line.executable && !sprof_jit_is_memory(&line))
			mapping.module = sprof_maps_module_of(&line, pid, modules);
		else if (line.executable)
			mapping.module = jit = jit == SPROF_MAPPING_NO_MODULE
				? sprof_jit_module(whole, pid, modules)
				: jit;
		if (!SPROF_ARRAY_APPEND(ret->items, ret->count, ret->capacity, mapping)) {
			sprof_maps_finish(ret);
			return false;
		}
	}
	return ret->count > 0;
}

const struct sprof_mapping *sprof_maps_find(const struct sprof_maps *maps, uint64_t address)
{
	const struct sprof_mapping *items = maps->items;
	const size_t next = sprof_upper_bound(items, maps->count, SPROF_KEY(items, start, address));

	return next && address < items[next - 1].end ? &items[next - 1] : NULL;
}

uint64_t sprof_mapping_offset(
	const struct sprof_mapping *mapping, const struct sprof_module *module, uint64_t address)
{
	switch (module->kind) {
	case SPROF_MODULE_FILE:
		return address - mapping->start + mapping->offset;
	case SPROF_MODULE_MEMORY:
		return address - mapping->start;
	case SPROF_MODULE_ANONYMOUS:
	case SPROF_MODULE_SCRIPT:
		break;
	}
	return address;
}

void sprof_maps_finish(struct sprof_maps *maps)
{
	free(maps->items);
	*maps = (struct sprof_maps){0};
}
