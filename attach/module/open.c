/*
 * Decides which modules to open, and when to retry. file.c finds files; attach/proc/perf-map.c finds
 * perf maps.
 */
#include "attach/module/open.h"

#include "attach/module/file.h"
#include "attach/module/memory.h"
#include "attach/proc/perf-map.h"

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

void sprof_modules_open(struct sprof_modules *modules, struct sprof_maps *maps,
	const struct sprof_maps_source *source)
{
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
		else if (module && !no_perf_map)
			no_perf_map = !open_perf_map(module, maps->pid);
	}
}
