/*
 * Names of modules of a saved profile, whose files may be missing here, or have changed. The build
 * id decides. A file without one is used only if the user trusts paths. If there is only a debug
 * file, it represents the module, with the segments saved in the profile: a debug file's program
 * headers may have other offsets.
 */
#include "elfsym/names/saved-modules.h"

#include <stdlib.h>
#include <string.h>

static const struct sprof_saved_module *find_saved(const struct sprof_names *names)
{
	static const struct sprof_saved_module unknown;
	const struct sprof_saved_modules *saved = names->places->saved;

	return names->module->id < saved->count ? &saved->items[names->module->id] : &unknown;
}

static bool is_same(const struct sprof_names *names, const struct sprof_image *image)
{
	char id[SPROF_BUILD_ID_TEXT];

	if (!names->saved->build_id)
		return names->places->saved->trust_paths;
	return sprof_build_id_text(image, id) && strcmp(id, names->saved->build_id) == 0;
}

/* The file at the module's path; NULL: there is none, or another one. */
static struct sprof_image *open_file(struct sprof_names *names)
{
	struct sprof_image *image;
	struct sprof_error ignored;

	if (!sprof_image_open_path(names->module->path, &image, &ignored))
		return NULL;
	if (is_same(names, image))
		return image;
	if (names->saved->build_id)
		names->wrong_file = strdup(names->module->path);
	sprof_image_close(image);
	return NULL;
}

/* Opens the debug file once more, because it is both the module and its debug file. */
static bool take_debug_file(struct sprof_names *names, struct sprof_error *err)
{
	const struct sprof_saved_module *saved = names->saved;
	struct sprof_error ignored;

	if (!sprof_image_open_path(names->debug->own_path, &names->image, &ignored)) {
		names->image = NULL;
		return true;
	}
	return !saved->segment_count ||
		sprof_image_place(names->image, saved->segments, saved->segment_count) ||
		sprof_error_no_memory(err);
}

bool sprof_names_open_saved(struct sprof_names *names, struct sprof_error *err)
{
	const char *path = names->module->path;
	char *wrong = NULL;

	names->saved = find_saved(names);
	if (names->module->kind != SPROF_MODULE_FILE)
		return true;
	names->image = open_file(names);
	if (names->image) {
		if (!sprof_dwarf_exists(names->image))
			names->debug = sprof_debugfile_open(names->image, path, names->places);
		return true;
	}
	names->debug = sprof_debugfile_find(names->saved, path, names->places, &wrong);
	if (!names->wrong_file)
		names->wrong_file = wrong;
	else
		free(wrong);
	return !names->debug || take_debug_file(names, err);
}

bool sprof_names_address(const struct sprof_names *names, uint64_t offset, uint64_t *ret_address)
{
	const struct sprof_saved_module *saved = names->saved;

	if (names->image)
		return sprof_image_address(names->image, offset, ret_address);
	for (size_t i = 0; saved && i < saved->segment_count; i++) {
		const struct sprof_segment *segment = &saved->segments[i];

		if (offset - segment->offset >= segment->file_size)
			continue;
		*ret_address = segment->address + (offset - segment->offset);
		return true;
	}
	return false;
}
