/*
 * Late naming: each location is named again by its own address. Functions that a made-up name had
 * merged are split, and split ones are merged. A name from a symbol stays unless there is a better
 * one: without the module's file, its PLT and unwind tables are unknown here. Does not rename
 * waits: they are text already.
 */
#include "profile/names/rename.h"

#include <stdlib.h>

#include "profile/edit/merge.h"
#include "profile/model/addresses.h"
#include "profile/model/build.h"
#include "profile/names/gaps.h"
#include "profile/names/resolve.h"

bool sprof_profile_saved_modules(
	const struct sprof_profile *profile, struct sprof_saved_modules *ret)
{
	struct sprof_saved_module *items = calloc(profile->module_count + 1, sizeof(*items));

	*ret = (struct sprof_saved_modules){.items = items, .count = profile->module_count};
	for (size_t i = 0; items && i < profile->module_count; i++) {
		const struct sprof_profile_module *facts = &profile->module_facts[i];

		items[i] = (struct sprof_saved_module){
			.build_id = facts->build_id,
			.debuglink = facts->debuglink,
			.debuglink_crc = facts->debuglink_crc,
			.segments = facts->segments,
			.segment_count = facts->segment_count,
		};
	}
	return items;
}

void sprof_saved_modules_finish(struct sprof_saved_modules *saved)
{
	free((void *)saved->items);
	*saved = (struct sprof_saved_modules){0};
}

static const struct sprof_profile_function *outermost(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	return &profile->functions[sprof_profile_owner(profile, location)];
}

static bool is_file(const struct sprof_profile *profile, uint32_t module)
{
	return sprof_modules_get(profile->modules, module)->kind == SPROF_MODULE_FILE;
}

/* Other memory has no file that could come later, only a list that the user gives. */
static bool may_be_named(const struct sprof_profile *profile, const struct sprof_symbols *symbols,
	const struct sprof_profile_location *location)
{
	uint32_t module = location->frame.module;
	const struct sprof_profile_function *function;

	if (module == SPROF_PROFILE_NONE || !location->line_count)
		return false;
	function = outermost(profile, location);
	return (function->unresolved || !function->file) &&
		(is_file(profile, module) ||
			sprof_symbols_sysmap(symbols, sprof_modules_get(profile->modules, module)));
}

static bool is_better(const struct sprof_profile *profile, const struct sprof_symbols *symbols,
	const struct sprof_profile_location *location, const struct sprof_locations *places)
{
	const struct sprof_location *found = &places->items[places->count - 1];
	const struct sprof_module *module =
		sprof_modules_get(profile->modules, location->frame.module);

	return !found->unresolved &&
		(outermost(profile, location)->unresolved || found->file || found->function_file ||
			sprof_symbols_sysmap(symbols, module));
}

static bool set_lines(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_locations *places)
{
	location->line_count = 0;
	for (size_t i = 0; i < places->count; i++) {
		const struct sprof_location *place = &places->items[i];

		if (!sprof_profile_add_line(profile, location, place,
			    place->inlined ? SPROF_MARK_INLINED : SPROF_MARK_CALLED))
			return false;
	}
	return true;
}

static bool rename_location(struct sprof_profile *profile, struct sprof_symbols *symbols,
	struct sprof_profile_location *location, struct sprof_error *err)
{
	const struct sprof_frame *frame = &location->frame;
	uint64_t offset = sprof_location_offset(location);
	struct sprof_locations places;

	if (!sprof_symbols_resolve(symbols, frame->module, offset, &places, err))
		return false;
	return !is_better(profile, symbols, location, &places) ||
		set_lines(profile, location, &places) || sprof_error_no_memory(err);
}

/* The reasons on the recording machine may not apply here. */
static void forget_gaps(struct sprof_profile *profile)
{
	for (size_t i = 0; i < profile->module_count; i++) {
		if (is_file(profile, (uint32_t)i))
			profile->module_facts[i].gap_why = profile->module_facts[i].gap_help = NULL;
	}
}

static void count_unresolved(struct sprof_profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];

		count += location->frame.module != SPROF_PROFILE_NONE && location->line_count &&
			outermost(profile, location)->unresolved;
	}
	profile->quality.frames_unresolved = count;
}

bool sprof_profile_rename(
	struct sprof_profile **profile, struct sprof_symbols *symbols, struct sprof_error *err)
{
	struct sprof_profile *fresh;

	for (size_t i = 0; i < (*profile)->location_count; i++) {
		struct sprof_profile_location *location = &(*profile)->locations[i];

		if (may_be_named(*profile, symbols, location) &&
			!rename_location(*profile, symbols, location, err))
			return false;
	}
	if (!sprof_profile_insert_tail_calls(*profile, symbols, err))
		return false;
	forget_gaps(*profile);
	count_unresolved(*profile);
	if (!sprof_profile_explain(*profile, symbols, err))
		return false;
	fresh = sprof_build_create();
	if (!fresh || !sprof_profile_merge(fresh, *profile, err)) {
		sprof_profile_destroy(fresh);
		return sprof_error_no_memory(err);
	}
	sprof_profile_destroy(*profile);
	*profile = fresh;
	return true;
}
