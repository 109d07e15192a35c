/*
 * Memory mappings. Knows which of them make a module, and how modules are named in maps; what is inside
 * of a module is elfsym/'s matter.
 */
#include "attach/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/maps-line.h"
#include "attach/maps-text.h"
#include "attach/module-file.h"
#include "attach/module-memory.h"
#include "attach/perf-map.h"
#include "attach/procfs.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"

/* Where mappings are read from. */
struct source {
	pid_t pid, live_tid; /* the process, and a thread of it that has not ended */
	const char *text;
	bool no_perf_map; /* it has been looked for in vain: one look is enough for all its mappings */
};

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

/*
 * Memory that a JIT fills though it has a name like a file: .NET maps its code twice, through a
 * memfd of this name.
 */
static bool is_nameless(const char *path)
{
	return strncmp(path, "/memfd:doublemapper", strlen("/memfd:doublemapper")) == 0;
}

/* Anonymous memory of two processes is never the same, even at one address. */
static struct sprof_module_key key_of(
	const struct sprof_maps_line *line, pid_t pid, char *path)
{
	struct sprof_module_key key = {
		.kind = SPROF_MODULE_FILE,
		.device = line->device,
		.inode = line->inode,
		.path = path,
	};

	if (line->inode && !is_nameless(path)) {
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
	/* The kernel's, and the same for all: a recording of days sees millions of processes. */
	if (!strcmp(path, "[vsyscall]"))
		return key;
	key.inode = (uint64_t)pid;
	if (!path[0] || path[0] == '/')
		key.path = "[anon]";
	return key;
}

/*
 * Not open, and this process has not been tried: one that maps the same file may have been gone too
 * soon, or may have been nobody's business.
 */
static bool is_worth_a_try(const struct sprof_module *module, pid_t pid)
{
	bool is_open = module->kind == SPROF_MODULE_FILE ? module->fd >= 0 : module->image != NULL;

	return !is_open && module->opener != pid;
}

/* It may appear long after the memory that it is about: so each reading of maps looks for it once. */
static void open_perf_map(struct sprof_module *module, struct source *source)
{
	if (module->fd >= 0 || !module->inode || source->no_perf_map)
		return;
	sprof_perf_map_open(module, source->pid);
	source->no_perf_map = module->fd < 0;
}

static void open_module(struct sprof_module *module, struct source *source,
	const struct sprof_maps_line *line)
{
	if (module->kind == SPROF_MODULE_ANONYMOUS) {
		open_perf_map(module, source);
		return;
	}
	if (!is_worth_a_try(module, source->live_tid))
		return;
	module->opener = source->live_tid;
	sprof_module_file_open(module, source->live_tid, line->start, line->end);
	if (module->kind == SPROF_MODULE_FILE && module->fd < 0 && !module->image)
		sprof_module_memory_read(module, source->live_tid, source->text);
}

/*
 * The module of an executable mapping; opened at its first sight, and again when its file has been
 * overwritten: a mapping shows what is in the file now. SPROF_MAPPING_NO_MODULE: no memory.
 */
static uint32_t module_of(struct source *source, const struct sprof_maps_line *line,
	struct sprof_modules *modules)
{
	SPROF_AUTO_FREE char *path = strndup(line->path, line->path_length);
	struct sprof_module_key key;
	struct sprof_module *module;
	bool new;

	if (!path)
		return SPROF_MAPPING_NO_MODULE;
	key = key_of(line, source->pid, path);
	module = sprof_modules_intern(modules, &key, &new);
	if (module && sprof_module_is_overwritten(module))
		module = sprof_modules_succeed(modules, module);
	if (!module)
		return SPROF_MAPPING_NO_MODULE;
	open_module(module, source, line);
	return module->id;
}

static bool append(struct sprof_maps *maps, const struct sprof_mapping *mapping)
{
	if (!sprof_array_reserve(
		    &maps->items, &maps->capacity, maps->count + 1, sizeof(*maps->items)))
		return false;
	maps->items[maps->count++] = *mapping;
	return true;
}

static bool parse(
	struct sprof_maps *maps, struct source *source, struct sprof_modules *modules)
{
	struct sprof_maps_line line;
	const char *cursor = source->text;

	while (sprof_maps_parse_line(&cursor, &line)) {
		struct sprof_mapping mapping = {
			.start = line.start,
			.end = line.end,
			.offset = line.offset,
			.executable = line.executable,
			.module = SPROF_MAPPING_NO_MODULE,
		};

		if (line.executable)
			mapping.module = module_of(source, &line, modules);
		if (!append(maps, &mapping))
			return false;
	}
	return maps->count > 0;
}

static bool is_same(const struct sprof_maps *one, const struct sprof_maps *other)
{
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++) {
		const struct sprof_mapping *a = &one->items[i], *b = &other->items[i];

		if (a->start != b->start || a->end != b->end || a->offset != b->offset ||
			a->module != b->module || a->executable != b->executable)
			return false;
	}
	return true;
}

static bool take(struct sprof_maps *maps, struct source *source, struct sprof_modules *modules)
{
	struct sprof_maps fresh = {.generation = maps->generation, .pid = source->live_tid};

	if (!source->text || !parse(&fresh, source, modules)) {
		sprof_maps_finish(&fresh);
		return false;
	}
	if (!is_same(&fresh, maps))
		fresh.generation = sprof_clock_now_ns();
	free(maps->items);
	*maps = fresh;
	return true;
}

bool sprof_maps_read(struct sprof_maps *maps, pid_t pid, struct sprof_modules *modules)
{
	struct source source = {.pid = pid};
	SPROF_AUTO_FREE char *text = sprof_maps_read_text(pid, &source.live_tid);

	source.text = text;
	return take(maps, &source, modules);
}

bool sprof_maps_read_open(
	struct sprof_maps *maps, pid_t pid, int file, struct sprof_modules *modules)
{
	size_t size;
	SPROF_AUTO_FREE char *text = sprof_proc_read_whole_open(file, &size);
	struct source source = {.pid = pid, .live_tid = pid, .text = text};

	return take(maps, &source, modules);
}

const struct sprof_mapping *sprof_maps_find(const struct sprof_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct sprof_mapping *mapping = &maps->items[middle];

		if (address < mapping->start)
			high = middle;
		else if (address >= mapping->end)
			low = middle + 1;
		else
			return mapping;
	}
	return NULL;
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
		break;
	}
	return address;
}

void sprof_maps_finish(struct sprof_maps *maps)
{
	free(maps->items);
	*maps = (struct sprof_maps){0};
}
