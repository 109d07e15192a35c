/* Reads the modules' build ids and executable segments. elfsym/ parses the ELF files. */
#include "profile/names/identify.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/debug-files/debugfile.h"
#include "elfsym/debug-files/debuglink.h"
#include "elfsym/elf/image.h"
#include "profile/model/index.h"

/* NULL: it can't be read, for any reason. */
static struct sprof_image *open_image(const struct sprof_module *module)
{
	struct sprof_image *image = NULL;
	struct sprof_error ignored;
	bool opened = module->kind == SPROF_MODULE_FILE && module->fd < 0 && !module->image
		? sprof_image_open_path(module->path, &image, &ignored)
		: sprof_image_open(module, &image, &ignored);

	return opened ? image : NULL;
}

static bool copy_segments(const struct sprof_image *image, struct sprof_profile_module *facts)
{
	facts->segments = calloc(image->segment_count + 1, sizeof(*facts->segments));
	if (!facts->segments)
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		if (image->segments[i].executable)
			facts->segments[facts->segment_count++] = image->segments[i];
	}
	return true;
}

/* The debug link, for a reader without the module's file. */
static bool copy_debuglink(struct sprof_profile *profile, const struct sprof_image *image,
	struct sprof_profile_module *facts)
{
	struct sprof_section section;
	struct sprof_debuglink link;

	if (!sprof_image_section(image, ".gnu_debuglink", &section) ||
		!sprof_debuglink_parse(section.bytes, section.size, &link))
		return true;
	facts->debuglink = sprof_strtab_intern(profile->index->strings, link.name);
	facts->debuglink_crc = link.crc;
	return facts->debuglink;
}

static bool identify(struct sprof_profile *profile, const struct sprof_module *module)
{
	struct sprof_profile_module *facts = &profile->module_facts[module->id];
	char build_id[SPROF_BUILD_ID_TEXT] = "";
	struct sprof_image *image;
	bool ok = true;

	if (!facts->mapped_at)
		facts->mapped_at = module->mapped_at;
	if (module->kind == SPROF_MODULE_ANONYMOUS || module->kind == SPROF_MODULE_SCRIPT ||
		facts->segments)
		return true;
	image = open_image(module);
	if (!image)
		return true;
	if (sprof_build_id_text(image, build_id) && !facts->build_id) {
		facts->build_id = sprof_strtab_intern(profile->index->strings, build_id);
		ok = facts->build_id;
	}
	/* Another build id: not the profiled file. */
	if (ok && (!facts->build_id || strcmp(facts->build_id, build_id) == 0))
		ok = copy_segments(image, facts) && copy_debuglink(profile, image, facts);
	sprof_image_close(image);
	return ok;
}

bool sprof_profile_identify(struct sprof_profile *profile, struct sprof_error *err)
{
	size_t count = sprof_modules_count(profile->modules);

	if (!sprof_array_reserve(&profile->module_facts, &profile->module_capacity, count,
		    sizeof(*profile->module_facts)))
		return sprof_error_no_memory(err);
	if (profile->module_count < count)
		profile->module_count = count;
	for (size_t i = 0; i < count; i++) {
		if (!identify(profile, sprof_modules_get(profile->modules, (uint32_t)i)))
			return sprof_error_no_memory(err);
	}
	return true;
}
