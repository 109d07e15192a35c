/*
 * Finds the name by which a program was started, if that is a symbolic link to its file: in Debian,
 * "redis-server" is a link to redis-check-rdb. Looks only in the file's folder, and finds only
 * links that still exist.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model/program.h"
#include "profile/names/resolve.h"

static bool is_link_to(const char *link, const char *path)
{
	char target[PATH_MAX];

	return realpath(link, target) && strcmp(target, path) == 0;
}

const char *sprof_profile_module_called(
	const struct sprof_profile *profile, uint32_t module, struct sprof_module_called *called)
{
	const char *path = sprof_modules_get(profile->modules, module)->path;
	const char *name = sprof_module_name(sprof_modules_get(profile->modules, module));
	const char *slash = strrchr(path, '/');
	char link[PATH_MAX];

	for (size_t i = 0; slash && !strstr(name, ".so") && i < profile->process_count; i++) {
		sprof_program_name(profile->processes[i].name, called->name, sizeof(called->name));
		snprintf(link, sizeof(link), "%.*s/%s", (int)(slash - path), path, called->name);
		if (strcmp(called->name, name) == 0)
			return name;
		if (called->name[0] && is_link_to(link, path))
			return called->name;
	}
	return name;
}
