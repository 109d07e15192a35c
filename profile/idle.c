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
	{"runtime.stopm", "no goroutine to run"},
	{"runtime.stoplockedm", "its goroutine waits"},
	{"runtime.templateThread", "no thread to make"},
	{"runtime.sysmon", "nothing to watch"},
};

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
	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		const struct sprof_profile_location *location =
			&profile->locations[profile->stacks[stack].location];

		for (uint32_t i = 0; i < location->line_count; i++) {
			uint32_t function = profile->lines[location->first_line + i].function;
			const char *lacks = idle_in(profile->functions[function].name);

			if (lacks)
				return lacks;
		}
	}
	return NULL;
}
