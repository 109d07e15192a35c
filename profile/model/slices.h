/* Builds the timeline of a profile from a file, where each sample has only a time slice. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/profile.h"

/*
 * Adds samples of an existing row in the slice that begins at time_ns. Returns false if out of
 * memory.
 */
bool sprof_slices_add(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint64_t time_ns);

/* Call after all adds: distributes the samples within each slice. */
void sprof_slices_settle(struct sprof_profile *profile);
