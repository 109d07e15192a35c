/* Private to profile/: lists existing names for the hint when a filter matches nothing. */
#pragma once

#include "base/attributes.h"
#include "base/error.h"
#include "profile/edit/filter.h"
#include "profile/model/profile.h"

/* Each sets an error of kind NOT_FOUND with the heaviest names as the hint, and returns false. */
SPROF_MUST_USE bool sprof_heaviest_threads(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_heaviest_functions(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_heaviest_objects(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
SPROF_MUST_USE bool sprof_heaviest_labels(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err);
