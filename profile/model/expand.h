/* A stack as a list of functions, with inlined functions as frames. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* Zeroed is empty and valid; reuse it to avoid allocations. */
struct sprof_expansion {
	const struct sprof_profile_line **frames; /* innermost first */
	size_t count, capacity;
};

void sprof_expansion_finish(struct sprof_expansion *expansion);

/*
 * Replaces the contents with the frames of `stack`. The stack's locations must already have names.
 * Returns false if out of memory.
 */
bool sprof_expansion_fill(
	struct sprof_expansion *expansion, const struct sprof_profile *profile, uint32_t stack);
