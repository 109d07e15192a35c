/* Programs that keep creating short-lived threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

struct sprof_short_threads {
	size_t count;   /* 0: too few to matter */
	uint32_t maker; /* the program's function that creates them; NONE: unknown */
};

/* Examines the chosen threads, by thread index. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_short_threads_find(
	const struct sprof_profile *profile, const bool *chosen, struct sprof_short_threads *ret);
