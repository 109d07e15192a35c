/* Iterates over the lines of a stack, innermost first, including inlined functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* Position: the next line, and the stack that it is in. */
struct sprof_stack_lines {
	uint32_t stack, line;
};

/* Returns NULL at the end. */
static inline const struct sprof_profile_line *sprof_stack_lines_next(
	const struct sprof_profile *profile, struct sprof_stack_lines *at)
{
	for (; at->stack != SPROF_PROFILE_ROOT; at->stack = profile->stacks[at->stack].parent) {
		const struct sprof_profile_location *location =
			&profile->locations[profile->stacks[at->stack].location];

		if (at->line < location->line_count)
			return &profile->lines[location->first_line + at->line++];
		at->line = 0;
	}
	return NULL;
}
