/*
 * Resolves raw frames to functions. A return address follows its call, which may be the last
 * instruction of its function; so the lookup uses the byte before it.
 */
#include "profile/names/resolve.h"

#include <assert.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/model/addresses.h"
#include "profile/model/index.h"
#include "profile/names/gaps.h"

static bool add_line(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place)
{
	return sprof_profile_add_line(
		profile, location, place, place->inlined ? SPROF_MARK_INLINED : SPROF_MARK_CALLED);
}

/* "created by main.main": only the innermost function of that place. */
static bool name_creator(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place)
{
	SPROF_AUTO_FREE char *name = sprof_string_print("created by %s", place->function);
	struct sprof_location creator = *place;

	if (!name)
		return false;
	creator.function = creator.linkage = name;
	creator.inlined = false;
	return add_line(profile, location, &creator);
}

static bool name_location(struct sprof_profile *profile, struct sprof_symbols *symbols,
	struct sprof_profile_location *location, struct sprof_error *err)
{
	const struct sprof_frame *frame = &location->frame;
	uint64_t offset = sprof_location_offset(location);
	struct sprof_locations places;

	if (!sprof_symbols_resolve(symbols, frame->module, offset, &places, err))
		return false;
	assert(places.count);
	if (frame->is_creator)
		return name_creator(profile, location, &places.items[0]) ||
			sprof_error_no_memory(err);
	for (size_t i = 0; i < places.count; i++) {
		if (!add_line(profile, location, &places.items[i]))
			return sprof_error_no_memory(err);
	}
	profile->index->locations_unresolved += places.items[places.count - 1].unresolved;
	return true;
}

bool sprof_profile_resolve(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err)
{
	struct sprof_profile_index *index = profile->index;

	assert(sprof_profile_adds_up(profile));
	for (; index->locations_named < profile->location_count; index->locations_named++) {
		struct sprof_profile_location *location =
			&profile->locations[index->locations_named];

		if (!location->line_count && !name_location(profile, symbols, location, err))
			return false;
	}
	profile->quality.frames_unresolved = index->locations_unresolved;
	return sprof_profile_insert_tail_calls(profile, symbols, err) &&
		sprof_profile_name_waits(profile, symbols, err) &&
		sprof_profile_explain(profile, symbols, err);
}
