/* Short names that are unique among those of a profile, for --names=short. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/* The longest short name, if there is a choice. */
enum { SPROF_BRIEF_ROOM = 60 };

struct sprof_briefs; /* valid as long as the profile */

/*
 * The short names of a profile's functions; NULL if they are not `wanted`. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_briefs_create(
	const struct sprof_profile *profile, bool wanted, struct sprof_briefs **ret);
/* NULL is accepted. */
void sprof_briefs_destroy(struct sprof_briefs *briefs);

/* As sprof_fit_function(), in output/fit.h, with short names only if there are briefs. A
 * name that is not among them gets the plainest form. */
char *sprof_briefs_fit(const struct sprof_briefs *briefs, const char *name, size_t room);
