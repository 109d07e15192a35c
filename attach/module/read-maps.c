/* Reads the mappings of a process. maps.c parses them; attach/module/open.c opens modules. */
#include "attach/module/read-maps.h"

#include <stdlib.h>

#include "attach/module/open.h"
#include "attach/module/remapped.h"
#include "base/cleanup.h"
#include "base/maps-text.h"
#include "base/proc.h"

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
	sprof_modules_open(modules, &fresh, source);
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
