/*
 * Converts file offsets to addresses: link-time by the file's segments (profile/names/identify.c),
 * in the process by where the file was mapped. Does not assign artificial addresses to modules:
 * output/formats/layout.c does.
 */
#include "profile/model/addresses.h"

uint64_t sprof_location_offset(const struct sprof_profile_location *location)
{
	const struct sprof_frame *frame = &location->frame;

	return frame->offset - (frame->is_return && frame->offset);
}

const struct sprof_segment *sprof_profile_segment_at(
	const struct sprof_profile *profile, uint32_t module, uint64_t offset)
{
	const struct sprof_profile_module *facts = sprof_profile_module_facts(profile, module);

	for (size_t i = 0; i < facts->segment_count; i++) {
		if (offset - facts->segments[i].offset < facts->segments[i].file_size)
			return &facts->segments[i];
	}
	return NULL;
}

bool sprof_profile_link_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address)
{
	const uint64_t offset = sprof_location_offset(location);
	const struct sprof_segment *segment =
		sprof_profile_segment_at(profile, location->frame.module, offset);

	if (!segment)
		return false;
	*ret_address = segment->address + (offset - segment->offset);
	return true;
}

bool sprof_profile_process_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address)
{
	const uint32_t module = location->frame.module;
	const struct sprof_profile_module *facts = sprof_profile_module_facts(profile, module);

	if (module == SPROF_PROFILE_NONE)
		return false;
	if (sprof_modules_get(profile->modules, module)->kind == SPROF_MODULE_ANONYMOUS) {
		*ret_address = sprof_location_offset(location);
		return true;
	}
	if (!facts->mapped_at)
		return false;
	*ret_address = facts->mapped_at + sprof_location_offset(location);
	return true;
}
