/*
 * A stack as the functions that a reader knows: inlined functions are frames too.
 */
#ifndef SPROF_PROFILE_EXPAND_H
#define SPROF_PROFILE_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Zeroed is empty and valid; reuse it to keep its memory. */
struct sprof_expansion {
	const struct sprof_profile_line **frames; /* innermost first */
	size_t count, capacity;
};

void sprof_expansion_finish(struct sprof_expansion *expansion);

/* Replaces the frames by those of the stack. Its locations must be named. False: no memory. */
bool sprof_expansion_fill(
	struct sprof_expansion *expansion, const struct sprof_profile *profile, uint32_t stack);

#endif
