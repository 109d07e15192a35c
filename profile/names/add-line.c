/*
 * Adds a resolved function as a line of a location. The symbols' strings may be freed before the
 * profile, so they are copied.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/model/build.h"
#include "profile/model/index.h"
#include "profile/names/resolve.h"

/* The name consists of the module's file and, except of generated code, an offset. */
static bool copy_unresolved(
	struct sprof_profile *profile, uint32_t module, const char *text, const char **ret)
{
	const char *own = sprof_module_name(sprof_modules_get(profile->modules, module)),
		   *name = own;
	struct sprof_module_called called;
	SPROF_AUTO_FREE char *words = NULL;

	if (sprof_string_starts_with(text, own))
		name = sprof_profile_module_called(profile, module, &called);
	if (strcmp(own, name) == 0) {
		*ret = sprof_strtab_intern(profile->index->strings, text);
		return *ret;
	}
	words = sprof_string_print("%s%s", name, text + strlen(own));
	*ret = sprof_strtab_intern(profile->index->strings, words);
	return *ret;
}

/* Generated code of one runtime is one module, in whatever process it was made. */
static uint32_t module_of(const struct sprof_profile *profile, uint32_t id)
{
	const struct sprof_module *own, *other;

	if (!profile->modules || id >= sprof_modules_count(profile->modules))
		return id;
	own = sprof_modules_get(profile->modules, id);
	for (uint32_t i = 0; i < id && sprof_module_is_generated(own); i++) {
		other = sprof_modules_get(profile->modules, i);
		if (other->kind == own->kind && other->path == own->path)
			return i;
	}
	return id;
}

/* If the file of a function's definition is unknown, uses the file of its first line. */
bool sprof_profile_add_line(struct sprof_profile *profile, struct sprof_profile_location *location,
	const struct sprof_location *place, enum sprof_mark mark)
{
	struct sprof_profile_function function = {
		.line = place->function_line,
		.module = module_of(profile, location->frame.module),
		.unresolved = place->unresolved,
	};
	struct sprof_profile_line line = {
		.line = place->line,
		.mark = mark,
	};

	if (place->unresolved && profile->modules && location->frame.module != SPROF_PROFILE_NONE) {
		if (!copy_unresolved(
			    profile, location->frame.module, place->function, &function.name))
			return false;
		function.linkage = function.name;
	} else if (!sprof_build_text(profile, place->function, &function.name) ||
		!sprof_build_text(profile, place->linkage ? place->linkage : place->function,
			&function.linkage)) {
		return false;
	}
	if (!sprof_build_text(profile, place->function_file, &function.file) ||
		!sprof_build_text(profile, place->file, &line.file) ||
		!sprof_profile_intern_function(profile, &function, &line.function))
		return false;
	if (!profile->functions[line.function].file)
		profile->functions[line.function].file = line.file;
	return sprof_profile_append_line(profile, location, &line);
}
