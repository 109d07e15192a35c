/*
 * Distinguishes programs from libraries by file name, because a profile has nothing else. Does not
 * handle programs that are named like libraries.
 */
#include "profile/model/program.h"

#include <string.h>

bool sprof_profile_is_of_program(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	const struct sprof_module *module;

	if (!profile->modules || location->frame.module == SPROF_PROFILE_NONE)
		return false;
	module = sprof_modules_get(profile->modules, location->frame.module);
	return module->kind == SPROF_MODULE_FILE && !sprof_module_is_library(module->path);
}

void sprof_program_name(const char *command, char *name, size_t size)
{
	size_t length = strcspn(command, " "), start = 0;

	for (size_t i = 0; i + 1 < length; i++) {
		if (command[i] == '/')
			start = i + 1;
	}
	if (command[start] == '-' && length > start + 1)
		start++;
	if (length > start + 1 && command[length - 1] == ':')
		length--;
	length -= start;
	if (length >= size)
		length = size - 1;
	memcpy(name, command + start, length);
	name[length] = '\0';
}
