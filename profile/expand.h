/*
 * A stack as the functions a reader knows: inlined ones are frames like all others.
 */
#ifndef SPROF_PROFILE_EXPAND_H
#define SPROF_PROFILE_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Zeroed is empty and valid; used again and again, its memory is kept. */
struct sprof_expansion {
	const struct sprof_profile_line **frames; /* innermost first */
	size_t count, capacity;
};

void sprof_expansion_finish(struct sprof_expansion *expansion);

/* Replaces the frames by those of the stack, whose locations are all named. False: no memory. */
bool sprof_expansion_fill(
	struct sprof_expansion *expansion, const struct sprof_profile *profile, uint32_t stack);

#endif
