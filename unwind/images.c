/*
 * Images by module, opened at the first pc in them. An unreadable image stays unreadable until
 * another process maps it.
 */
#include "unwind/images.h"

#include <stdlib.h>

#include "base/array.h"

static void open_entry(struct sprof_images *images, struct sprof_image_entry *entry,
	const struct sprof_module *module)
{
	struct sprof_error err;

	entry->tried = true;
	entry->opener = module->opener;
	if (module->kind == SPROF_MODULE_ANONYMOUS)
		return;
	/* The error is reported when the module's names are looked up: elfsym/ reads it again. */
	if (!sprof_image_open(module, &entry->image, &err)) {
		entry->image = NULL;
		return;
	}
	entry->rows = sprof_rows_create(entry->image);
	if (entry->rows) {
		images->go_count += sprof_rows_go_runtime(entry->rows) != NULL;
		return;
	}
	sprof_image_close(entry->image);
	entry->image = NULL;
}

/* A module may since have been opened through another process. */
static bool is_worth_a_try(const struct sprof_image_entry *entry, const struct sprof_module *module)
{
	return !entry->tried || (!entry->image && entry->opener != module->opener);
}

static const struct sprof_image_entry *entry_of(struct sprof_images *images, uint32_t module)
{
	static const struct sprof_image_entry none;
	const struct sprof_module *found = sprof_modules_get(images->modules, module);

	if (!sprof_array_reserve(
		    &images->items, &images->capacity, (size_t)module + 1, sizeof(*images->items)))
		return &none;
	if (is_worth_a_try(&images->items[module], found))
		open_entry(images, &images->items[module], found);
	return &images->items[module];
}

bool sprof_images_locate(struct sprof_images *images, const struct sprof_maps *maps,
	uint64_t address, struct sprof_place *ret)
{
	const struct sprof_mapping *mapping = sprof_maps_find(maps, address);
	const struct sprof_image_entry *entry;

	if (!mapping || mapping->module == SPROF_MAPPING_NO_MODULE)
		return false;
	entry = entry_of(images, mapping->module);
	*ret = (struct sprof_place){
		.module = mapping->module,
		.offset = sprof_mapping_offset(
			mapping, sprof_modules_get(images->modules, mapping->module), address),
	};
	if (!entry->image || !sprof_image_address(entry->image, ret->offset, &ret->address))
		return true;
	ret->image = entry->image;
	ret->rows = entry->rows;
	return true;
}

static void read_fdes(struct sprof_image_entry *entry)
{
	struct sprof_error err;

	entry->has_read_fdes = true;
	if (!sprof_fdes_load(&entry->fdes, entry->image, &err))
		sprof_fdes_finish(&entry->fdes);
}

static bool has_fde(const struct sprof_image_entry *entry, uint64_t address)
{
	const struct sprof_rule rule = sprof_rows_find(entry->rows, address);

	return rule.cfa != SPROF_CFA_NONE && !rule.is_computed &&
		sprof_cfi_is_in_eh_frame(sprof_rows_cfi(entry->rows), address);
}

bool sprof_images_find_bounds(struct sprof_images *images, uint32_t module, uint64_t address,
	struct sprof_fde_bounds *ret)
{
	struct sprof_image_entry *entry = &images->items[module];

	if (!has_fde(entry, address))
		return sprof_rows_find_bounds(entry->rows, address, ret);
	if (entry->image->eh_frame_hdr_address)
		return sprof_fde_table_find(entry->image, address, ret);
	if (!entry->has_read_fdes)
		read_fdes(entry);
	return sprof_fdes_bounds(&entry->fdes, address, ret);
}

const struct sprof_go_runtime *sprof_images_find_go(
	struct sprof_images *images, const struct sprof_maps *maps)
{
	const struct sprof_go_runtime *found = NULL;
	bool is_first = true;

	for (size_t i = 0; !found && i < maps->count; i++) {
		const struct sprof_image_entry *entry;
		uint32_t module = maps->items[i].module;

		if (module == SPROF_MAPPING_NO_MODULE ||
			sprof_modules_get(images->modules, module)->kind != SPROF_MODULE_FILE ||
			(!is_first && (module >= images->capacity || !images->items[module].tried)))
			continue;
		is_first = false;
		entry = entry_of(images, module);
		found = entry->rows ? sprof_rows_go_runtime(entry->rows) : NULL;
	}
	return found;
}

void sprof_images_finish(struct sprof_images *images)
{
	for (size_t i = 0; i < images->capacity; i++) {
		sprof_fdes_finish(&images->items[i].fdes);
		sprof_rows_destroy(images->items[i].rows);
		sprof_image_close(images->items[i].image);
	}
	free(images->items);
	*images = (struct sprof_images){0};
}
