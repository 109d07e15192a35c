/* Threads in the background that nap, look whether there is something to do, and nap again. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/*
 * By row: whether it is a nap of such a thread. The thread does nothing but nap, is not the
 * process's first one, and no thread waits for it, as far as that is known. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_profile_find_naps(const struct sprof_profile *profile, bool *ret);
