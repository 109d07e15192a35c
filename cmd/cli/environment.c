/*
 * Hides DEBUGINFOD_URLS from sprof's own libraries: libdw would query these servers for every
 * module, for minutes (debuginfod_find_debuginfo(3)).
 */
#include "cmd/cli/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char **sprof_environment_take(void)
{
	size_t count = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		return NULL;
	memcpy(copy, environ, count * sizeof(*copy));
	unsetenv("DEBUGINFOD_URLS");
	return copy;
}
