/*
 * Idle threads, by the functions on their stacks. Knows Go's: its scheduler looks for goroutines, and waits in a futex or
 * for descriptors until somebody makes one ready (runtime/proc.go). Does not handle thread pools of other
 * languages, where what a worker waits for is a queue of the program's.
 */
#include "profile/idle.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *function, *lacks;
} idle[] = {
	{"runtime.findRunnable", "no goroutine to run"},
	{"runtime.findrunnable", "no goroutine to run"}, /* up to Go 1.18 */
	{"runtime.gcstopm", "the end of a stop of the world"},
	{"runtime.stopm", "no goroutine to run"},
	{"runtime.stoplockedm", "its goroutine waits"},
	{"runtime.templateThread", "no thread to make"},
	{"runtime.sysmon", "nothing to watch"},
};

/* What a scheduler may wait for on its way: locks of the runtime's own. */
static bool is_busy_in(const char *function)
{
	return strcmp(function, "runtime.lock2") == 0 || strcmp(function, "runtime.acquirep") == 0;
}

static const char *idle_in(const char *function)
{
	static const char start[] = "runtime.";

	if (strncmp(function, start, strlen(start)) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		if (strcmp(idle[i].function, function) == 0)
			return idle[i].lacks;
	}
	return NULL;
}

const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack)
{
	const char *found = NULL;

	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		const struct sprof_profile_location *location =
			&profile->locations[profile->stacks[stack].location];

		for (uint32_t i = 0; i < location->line_count; i++) {
			uint32_t function = profile->lines[location->first_line + i].function;
			const char *name = profile->functions[function].name;

			if (!found && is_busy_in(name))
				return NULL;
			if (!found || strcmp(name, "runtime.gcstopm") == 0)
				found = idle_in(name);
		}
	}
	return found;
}
