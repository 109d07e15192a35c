/* Private to profile/: lists existing names for the hint when a filter matches nothing. */
#ifndef SPROF_PROFILE_PRESENT_H
#define SPROF_PROFILE_PRESENT_H

#include "base/attributes.h"
#include "base/error.h"
#include "profile/filter.h"
#include "profile/profile.h"

/* Each sets an error of kind NOT_FOUND with the heaviest names as the hint, and returns false. */
SPROF_MUST_USE bool sprof_present_threads(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_present_functions(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_present_objects(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_present_labels(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);

#endif
