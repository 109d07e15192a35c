/*
 * The timeline of a profile from a file, which tells only the slice of time of a sample.
 */
#ifndef SPROF_PROFILE_SLICES_H
#define SPROF_PROFILE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* The samples of this existing row are in the slice that begins then. False: no memory. */
bool sprof_slices_add(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint64_t time_ns);

/* After all are added, lays out the samples of each slice one after the other. */
void sprof_slices_settle(struct sprof_profile *profile);

#endif
