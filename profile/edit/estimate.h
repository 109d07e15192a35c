/*
 * Estimates where threads without samples ran, from the samples of similar threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/*
 * Moves running time from the [unsampled] rows to new rows of the same threads, whose contexts are
 * marked as an estimate. Each thread's sums per class stay. Every location must be named. A second
 * call starts over, with the samples added since. Stores the amount in the quality. Returns false
 * if out of memory.
 */
SPROF_MUST_USE bool sprof_estimate_share(struct sprof_profile *profile);

/* Moves all estimated time back to [unsampled]. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_estimate_take_back(struct sprof_profile *profile);
