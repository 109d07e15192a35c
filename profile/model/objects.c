/*
 * Finds the object (program or library) of each function: its path, or only its file name, which
 * files in different folders may share.
 */
#include "profile/model/objects.h"

#include <stdlib.h>
#include <string.h>

static const char *path_of(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	const char *path = function->module == SPROF_PROFILE_NONE || !profile->modules
		? NULL
		: sprof_modules_get(profile->modules, function->module)->path;

	return path && path[0] ? path : NULL;
}

const char **sprof_objects_paths(const struct sprof_profile *profile)
{
	const char **paths = calloc(profile->function_count + 1, sizeof(*paths));

	for (size_t i = 0; paths && i < profile->function_count; i++)
		paths[i] = path_of(profile, &profile->functions[i]);
	for (size_t i = 0; paths && i < profile->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[i];

		if (line->kernel && !paths[line->function])
			paths[line->function] = SPROF_MODULE_KERNEL;
	}
	return paths;
}

const char **sprof_objects_names(const struct sprof_profile *profile)
{
	const char **names = sprof_objects_paths(profile);

	for (size_t i = 0; names && i < profile->function_count; i++) {
		const char *slash = names[i] ? strrchr(names[i], '/') : NULL;

		if (slash && slash[1])
			names[i] = slash + 1;
	}
	return names;
}
