/*
 * Groups by what frames are: the shared object, the source file or line, or the address of each, or the
 * first caller that matches a pattern.
 */
#ifndef SPROF_PROFILE_GROUP_FRAMES_H
#define SPROF_PROFILE_GROUP_FRAMES_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/groups.h"

/* Whether a name is one of "dso", "file", "srcline", "address". */
bool sprof_frames_have(const char *name);

/*
 * Groups by one of these names. A row is in the group of its innermost frame; a group's total has
 * each row once that has such a frame anywhere. Fails (kind NOT_FOUND) if no frame has one. The
 * caller finishes *ret.
 */
SPROF_MUST_USE bool sprof_groups_build_frames(const struct sprof_profile *profile, const char *name,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err);

/*
 * Groups rows by the innermost function that matches a pattern (see profile/filter.h), the row's own
 * function included. Fails on an invalid pattern (kind USAGE), and if none matches (NOT_FOUND).
 */
SPROF_MUST_USE bool sprof_groups_build_parents(const struct sprof_profile *profile,
	const char *pattern, enum sprof_weight weight, struct sprof_groups *ret,
	struct sprof_error *err);

#endif
