/*
 * Gives modules places in memory. A module with known segments has a mapping for each executable
 * one, at its link-time address plus the module's base. Code outside these segments, and a module
 * with an unknown file, has one mapping of the file from its beginning. Anonymous memory already
 * has real addresses, and its mapping has size 0.
 */
#include "output/layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

static const uint64_t page = 4096;
static const uint64_t first_base = 0x10000;

static uint64_t round_up(uint64_t value)
{
	return (value + page - 1) & ~(page - 1);
}

/* A caller's offset is the offset of its call. */
static uint64_t offset_in_file(const struct sprof_profile_location *location)
{
	const struct sprof_frame *frame = &location->frame;

	return frame->offset - (frame->is_return && frame->offset);
}

static const struct sprof_profile_segment *find_segment(
	const struct sprof_profile *profile, uint32_t module, uint64_t offset)
{
	const struct sprof_profile_module *facts =
		module < profile->module_count ? &profile->module_facts[module] : NULL;

	for (size_t i = 0; facts && i < facts->segment_count; i++) {
		if (offset - facts->segments[i].offset < facts->segments[i].size)
			return &facts->segments[i];
	}
	return NULL;
}

bool sprof_layout_link_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address)
{
	uint64_t offset = offset_in_file(location);
	const struct sprof_profile_segment *segment =
		find_segment(profile, location->frame.module, offset);

	if (!segment)
		return false;
	*ret_address = segment->address + (offset - segment->offset);
	return true;
}

/* By module: the end, in its file, of the frames outside all segments; 0: there are none. */
static uint64_t *find_rest(const struct sprof_profile *profile, size_t modules)
{
	uint64_t *rest = calloc(modules + 1, sizeof(*rest));

	for (size_t i = 0; rest && i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];
		uint32_t module = location->frame.module;
		uint64_t offset = offset_in_file(location);

		if (module >= modules || find_segment(profile, module, offset))
			continue;
		if (rest[module] <= offset)
			rest[module] = offset + 1 ? offset + 1 : offset;
	}
	return rest;
}

static bool append(struct sprof_layout *layout, const struct sprof_layout_mapping *mapping)
{
	if (!sprof_array_reserve(&layout->mappings, &layout->capacity, layout->count + 1,
		    sizeof(*layout->mappings)))
		return false;
	layout->mappings[layout->count++] = *mapping;
	return true;
}

/* Maps a module from *base on, and moves the base behind it. */
static bool map_module(struct sprof_layout *layout, const struct sprof_profile *profile,
	uint32_t module, uint64_t rest, uint64_t *base)
{
	const struct sprof_profile_module *facts =
		module < profile->module_count ? &profile->module_facts[module] : NULL;
	uint64_t end = *base;

	for (size_t i = 0; facts && i < facts->segment_count; i++) {
		const struct sprof_profile_segment *segment = &facts->segments[i];
		uint64_t before = segment->address % page;
		struct sprof_layout_mapping mapping = {
			.module = module,
			.start = *base + segment->address - before,
			.size = round_up(segment->size + before),
			.offset = segment->offset - before,
		};

		if (!append(layout, &mapping))
			return false;
		if (end < mapping.start + mapping.size)
			end = mapping.start + mapping.size;
	}
	if (rest &&
		!append(layout,
			&(struct sprof_layout_mapping){
				.module = module, .start = end, .size = round_up(rest)}))
		return false;
	*base = round_up(end + rest) + page;
	return true;
}

bool sprof_layout_build(const struct sprof_profile *profile, struct sprof_layout *ret)
{
	size_t modules = profile->modules ? sprof_modules_count(profile->modules) : 0;
	SPROF_AUTO_FREE uint64_t *rest = find_rest(profile, modules);
	uint64_t base = first_base;

	*ret = (struct sprof_layout){.module_count = modules};
	ret->first = calloc(modules + 1, sizeof(*ret->first));
	if (!rest || !ret->first)
		return false;
	for (size_t i = 0; i < modules; i++) {
		const struct sprof_module *module =
			sprof_modules_get(profile->modules, (uint32_t)i);
		const struct sprof_layout_mapping anonymous = {.module = (uint32_t)i};
		bool ok = module->kind == SPROF_MODULE_ANONYMOUS
			? append(ret, &anonymous)
			: map_module(ret, profile, (uint32_t)i, rest[i], &base);

		if (!ok)
			return false;
		ret->first[i + 1] = (uint32_t)ret->count;
	}
	return true;
}

void sprof_layout_finish(struct sprof_layout *layout)
{
	free(layout->mappings);
	free(layout->first);
	*layout = (struct sprof_layout){0};
}

size_t sprof_layout_find(const struct sprof_layout *layout,
	const struct sprof_profile_location *location, uint64_t *ret_address)
{
	uint32_t module = location->frame.module;
	uint64_t offset = offset_in_file(location);
	size_t i = layout->first[module];

	while (i + 1 < layout->first[module + 1] &&
		offset - layout->mappings[i].offset >= layout->mappings[i].size)
		i++;
	*ret_address = layout->mappings[i].start + (offset - layout->mappings[i].offset);
	return i;
}
