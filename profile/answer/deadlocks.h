/*
 * Threads that were in a deadlock, or waited for a thread in one, until the run or their process
 * ended.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

enum sprof_stuck {
	SPROF_STUCK_NOT,
	SPROF_STUCK_LOCKED, /* it waits for a lock that nothing will free */
	SPROF_STUCK_BEHIND, /* it waits for such a thread: for its end, or for a lock of its own */
};

/* Sets ret_stuck[i] for each thread. Locations must be named. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_profile_find_deadlocks(
	const struct sprof_profile *profile, enum sprof_stuck *ret_stuck);
