/*
 * Private to profile/: a filter that leaves nothing was a slip; what there is helps to find the right word.
 */
#ifndef SPROF_PROFILE_PRESENT_H
#define SPROF_PROFILE_PRESENT_H

#include "base/error.h"
#include "profile/filter.h"
#include "profile/profile.h"

/* Each sets an error of kind NOT_FOUND, with a hint that lists the heaviest that there are. Returns false. */
bool sprof_present_threads(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err);
bool sprof_present_functions(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err);
bool sprof_present_labels(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err);

#endif
