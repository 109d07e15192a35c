/*
 * Programs that make thread after thread, each for a moment.
 */
#ifndef SPROF_PROFILE_SHORT_THREADS_H
#define SPROF_PROFILE_SHORT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/profile.h"

struct sprof_short_threads {
	size_t count;   /* 0: there are too few to matter */
	uint32_t maker; /* the program's function that was seen making them; NONE: not known */
};

/* Of the chosen threads, by their index. False: no memory. */
SPROF_MUST_USE bool sprof_short_threads_find(
	const struct sprof_profile *profile, const bool *chosen, struct sprof_short_threads *ret);

#endif
