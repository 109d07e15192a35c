/*
 * Private to profile/: lists the existing names for a filter that leaves nothing, probably a slip.
 */
#ifndef SPROF_PROFILE_PRESENT_H
#define SPROF_PROFILE_PRESENT_H

#include "base/attributes.h"
#include "base/error.h"
#include "profile/filter.h"
#include "profile/profile.h"

/* Each sets an error of kind NOT_FOUND; the hint lists the heaviest ones. Returns false. */
SPROF_MUST_USE bool sprof_present_threads(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_present_functions(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_present_objects(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_present_labels(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);

#endif
