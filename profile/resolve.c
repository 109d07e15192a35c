/*
 * From raw frames to functions. A return address is after its call, which may be the last
 * instruction of its function: the byte before it is always inside the call. Does not handle the
 * sources of names.
 */
#include "profile/resolve.h"

#include <assert.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "profile/gaps.h"
#include "profile/index.h"

static const char *copy_of(struct sprof_profile *profile, const char *text)
{
	return text ? sprof_strtab_intern(profile->index->strings, text) : NULL;
}

static bool add_line(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place)
{
	struct sprof_profile_function function = {
		.name = copy_of(profile, place->function),
		.linkage = copy_of(profile, place->linkage ? place->linkage : place->function),
		.file = copy_of(profile, place->file),
		.line = place->function_line,
		.module = location->frame.module,
		.unresolved = place->unresolved,
	};
	struct sprof_profile_line line = {.line = place->line, .inlined = place->inlined};

	if (!function.name || !function.linkage || (place->file && !function.file))
		return false;
	return sprof_profile_intern_function(profile, &function, &line.function) &&
		sprof_profile_append_line(profile, location, &line);
}

/* "created by main.main": only the innermost function of that place. */
static bool name_creator(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place)
{
	SPROF_AUTO_FREE char *name = NULL;
	struct sprof_location creator = *place;

	if (asprintf(&name, "created by %s", place->function) < 0) {
		name = NULL;
		return false;
	}
	creator.function = creator.linkage = name;
	creator.inlined = false;
	return add_line(profile, location, &creator);
}

static bool name_location(struct sprof_profile *profile, struct sprof_symbols *symbols,
	struct sprof_profile_location *location, struct sprof_error *err)
{
	const struct sprof_frame *frame = &location->frame;
	uint64_t offset = frame->offset - (frame->is_return && frame->offset);
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
	return sprof_profile_name_waits(profile, symbols, err) &&
		sprof_profile_explain(profile, symbols, err);
}
