/*
 * Threads that were in a deadlock, or waited for a thread in one, until the run or their process
 * ended.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/*
 * Sets ret_stuck[i] for each such thread of the profile. Locations must be named. Returns false if
 * out of memory.
 */
SPROF_MUST_USE bool sprof_profile_find_deadlocks(
	const struct sprof_profile *profile, bool *ret_stuck);
