/*
 * Groups by properties of frames: shared object, source file, source line or address; or by the
 * first caller that matches a pattern.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/views/groups.h"

/* Whether the name is "dso", "file", "srcline" or "address". */
bool sprof_frames_have(const char *name);

/*
 * Groups by one of these properties. A row belongs to the group of its innermost frame with the
 * property; a group's total counts each row with such a frame anywhere once. Fails (kind NOT_FOUND)
 * if no frame has the property. The caller finishes *ret.
 */
SPROF_MUST_USE bool sprof_groups_build_frames(const struct sprof_profile *profile, const char *name,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err);

/*
 * Groups rows by the innermost function that matches a pattern (see profile/edit/filter.h),
 * including the leaf. Fails on an invalid pattern (kind USAGE), and if nothing matches (NOT_FOUND).
 */
SPROF_MUST_USE bool sprof_groups_build_parents(const struct sprof_profile *profile,
	const char *pattern, enum sprof_weight weight, struct sprof_groups *ret,
	struct sprof_error *err);
