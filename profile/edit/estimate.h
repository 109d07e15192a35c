/*
 * Running time of threads that have no sample of it, as an estimate by the samples of threads like them.
 */
#ifndef SPROF_PROFILE_EDIT_ESTIMATE_H
#define SPROF_PROFILE_EDIT_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/*
 * Moves running time from the [unsampled] rows to new rows of the same threads, whose contexts say that they
 * are an estimate. Each thread's sum stays, for each class. Every location must be named. A second call starts
 * over, with the samples that have come in between. The quality says how much it is. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_estimate_share(struct sprof_profile *profile);

/* Moves all of it back to [unsampled]. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_estimate_take_back(struct sprof_profile *profile);

#endif
