/*
 * Walks a stack from its innermost node to the root and appends each location's inline chain, which
 * has the same order.
 */
#include "profile/model/expand.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

void sprof_expansion_finish(struct sprof_expansion *expansion)
{
	free(expansion->frames);
	*expansion = (struct sprof_expansion){0};
}

static bool append(struct sprof_expansion *expansion, const struct sprof_profile *profile,
	const struct sprof_profile_location *location)
{
	assert(location->line_count);
	if (!sprof_array_reserve(&expansion->frames, &expansion->capacity,
		    expansion->count + location->line_count, sizeof(*expansion->frames)))
		return false;
	for (uint32_t i = 0; i < location->line_count; i++)
		expansion->frames[expansion->count++] = &profile->lines[location->first_line + i];
	return true;
}

bool sprof_expansion_fill(
	struct sprof_expansion *expansion, const struct sprof_profile *profile, uint32_t stack)
{
	expansion->count = 0;
	while (stack != SPROF_PROFILE_ROOT) {
		const struct sprof_profile_stack *node = &profile->stacks[stack];

		if (!append(expansion, profile, &profile->locations[node->location]))
			return false;
		stack = node->parent;
	}
	return true;
}
