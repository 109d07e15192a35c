/*
 * Reads the mappings of a process, and opens their modules. attach/proc/maps.c makes mappings of
 * the text, file.c finds files; attach/proc/perf-map.c finds perf maps.
 */
#include "attach/module/read-maps.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/module/file.h"
#include "attach/module/memory.h"
#include "attach/module/remapped.h"
#include "attach/proc/jit.h"
#include "attach/proc/perf-map.h"
#include "base/cleanup.h"
#include "base/maps-text.h"
#include "base/proc.h"
#include "base/strings.h"

/*
 * True if the module is not open and this process was not tried yet. An earlier process with the
 * same file may have ended too soon, or may not have been traced.
 */
static bool is_worth_a_try(const struct sprof_module *module, pid_t pid)
{
	bool is_open = module->kind == SPROF_MODULE_FILE ? module->fd >= 0 : module->image != NULL;

	return !is_open && module->opener != pid;
}

static void open_code(struct sprof_module *module, const struct sprof_mapping *mapping,
	const struct sprof_maps_source *source)
{
	if (!is_worth_a_try(module, source->live_tid))
		return;
	module->opener = source->live_tid;
	sprof_module_file_open(module, source->live_tid, mapping->start, mapping->end);
	if (module->kind == SPROF_MODULE_FILE && module->fd < 0 && !module->image)
		sprof_module_memory_read(module, source->live_tid, source->text);
}

/*
 * A perf map may appear long after its memory, so each reading of maps looks for it once. Returns
 * false if there is none.
 */
static bool open_perf_map(struct sprof_module *module, pid_t pid)
{
	if (module->fd < 0 && module->inode)
		sprof_perf_map_open(module, pid);
	return module->fd >= 0 || !module->inode;
}

/*
 * Whether a file that is only in memory has generated code: it is no ELF file. QEMU and others map
 * one twice, to write and to run.
 */
static bool is_generated(const struct sprof_module *module)
{
	static const char *const places[] = {"/memfd:", "/dev/shm/", "/SYSV", NULL};
	char magic[SELFMAG];

	return module->kind == SPROF_MODULE_FILE && !module->image &&
		sprof_string_starts_with_any(module->path, places) &&
		(module->fd < 0 || pread(module->fd, magic, SELFMAG, 0) != SELFMAG ||
			memcmp(magic, ELFMAG, SELFMAG) != 0);
}

/*
 * Opens the modules of executable mappings that are not open yet: files, the vDSO, and perf maps of
 * memory without a file. If a mapped file was overwritten, a new module replaces the old one, in
 * the mapping as well, because the mapping shows the new content. Modules that can't be opened hold
 * the reason (file.h).
 */
static void modules_open(struct sprof_modules *modules, struct sprof_maps *maps,
	const struct sprof_maps_source *source)
{
	uint32_t jit = SPROF_MAPPING_NO_MODULE;
	bool no_perf_map = false;

	for (size_t i = 0; i < maps->count; i++) {
		struct sprof_mapping *mapping = &maps->items[i];
		struct sprof_module *module;

		if (mapping->module == SPROF_MAPPING_NO_MODULE)
			continue;
		module = sprof_modules_renew(modules, mapping->module);
		mapping->module = module ? module->id : SPROF_MAPPING_NO_MODULE;
		if (module && module->kind != SPROF_MODULE_ANONYMOUS)
			open_code(module, mapping, source);
		if (module && is_generated(module)) {
			if (jit == SPROF_MAPPING_NO_MODULE)
				jit = sprof_jit_module(source->text, maps->pid, modules);
			mapping->module = jit;
			module = jit == SPROF_MAPPING_NO_MODULE ? NULL
								: sprof_modules_get(modules, jit);
		}
		if (module && module->kind == SPROF_MODULE_ANONYMOUS && !no_perf_map)
			no_perf_map = !open_perf_map(module, maps->pid);
	}
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

static bool take(struct sprof_maps *maps, pid_t pid, const struct sprof_maps_source *source,
	struct sprof_modules *modules)
{
	struct sprof_maps fresh;

	if (!source->text || !sprof_maps_parse(&fresh, source->text, pid, modules))
		return false;
	modules_open(modules, &fresh, source);
	sprof_maps_find_remapped(&fresh, source, modules);
	fresh.pid = source->live_tid;
	fresh.generation =
		is_same(&fresh, maps) ? maps->generation : sprof_modules_next_generation(modules);
	free(maps->items);
	*maps = fresh;
	return true;
}

bool sprof_maps_read(struct sprof_maps *maps, pid_t pid, struct sprof_modules *modules)
{
	struct sprof_maps_source source = {0};
	SPROF_AUTO_FREE char *text = sprof_maps_read_text(pid, &source.live_tid);

	source.text = text;
	return take(maps, pid, &source, modules);
}

bool sprof_maps_read_open(
	struct sprof_maps *maps, pid_t pid, int file, struct sprof_modules *modules)
{
	size_t size;
	SPROF_AUTO_FREE char *text = sprof_proc_read_whole_open(file, &size);

	return take(maps, pid, &(struct sprof_maps_source){.live_tid = pid, .text = text}, modules);
}
