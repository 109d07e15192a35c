/*
 * The timeline of a profile from a file, which knows of a sample only in which slice of time it was.
 */
#ifndef SPROF_PROFILE_SLICES_H
#define SPROF_PROFILE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* The samples of the row, which is there, are in the slice that begins at that time. False: no memory. */
bool sprof_slices_add(struct sprof_profile *profile, const struct sprof_profile_row *row, uint64_t time_ns);

/* Lays the samples of each slice one behind the other, when all have been added. */
void sprof_slices_settle(struct sprof_profile *profile);

#endif
