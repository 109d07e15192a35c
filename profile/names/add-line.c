/*
 * Adds a resolved function as a line of a location. The symbols' strings may be freed before the
 * profile, so they are copied.
 */
#include "profile/model/index.h"
#include "profile/names/resolve.h"

static bool copy_text(struct sprof_profile *profile, const char *text, const char **ret)
{
	*ret = text ? sprof_strtab_intern(profile->index->strings, text) : NULL;
	return !text || *ret;
}

/* If the file of a function's definition is unknown, uses the file of its first line. */
bool sprof_profile_add_line(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place, enum sprof_mark mark)
{
	struct sprof_profile_function function = {
		.line = place->function_line,
		.module = location->frame.module,
		.unresolved = place->unresolved,
	};
	struct sprof_profile_line line = {
		.line = place->line,
		.mark = mark,
	};

	if (!copy_text(profile, place->function, &function.name) ||
		!copy_text(profile, place->linkage ? place->linkage : place->function,
			&function.linkage) ||
		!copy_text(profile, place->function_file, &function.file) ||
		!copy_text(profile, place->file, &line.file) ||
		!sprof_profile_intern_function(profile, &function, &line.function))
		return false;
	if (!profile->functions[line.function].file)
		profile->functions[line.function].file = line.file;
	return sprof_profile_append_line(profile, location, &line);
}
