/*
 * A named place becomes a line of a location. The strings of the names live shorter than the
 * profile, so they are copied.
 */
#include "profile/index.h"
#include "profile/resolve.h"

static const char *copy_of(struct sprof_profile *profile, const char *text)
{
	return text ? sprof_strtab_intern(profile->index->strings, text) : NULL;
}

bool sprof_profile_add_line(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place, enum sprof_mark mark)
{
	struct sprof_profile_function function = {
		.name = copy_of(profile, place->function),
		.linkage = copy_of(profile, place->linkage ? place->linkage : place->function),
		.file = copy_of(profile, place->file),
		.line = place->function_line,
		.module = location->frame.module,
		.unresolved = place->unresolved,
	};
	struct sprof_profile_line line = {
		.line = place->line,
		.mark = mark,
	};

	if (!function.name || !function.linkage || (place->file && !function.file))
		return false;
	return sprof_profile_intern_function(profile, &function, &line.function) &&
		sprof_profile_append_line(profile, location, &line);
}
