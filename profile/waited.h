/*
 * Exact waits in a recording: each row has their number, their length, and the longest of them.
 */
#ifndef SPROF_PROFILE_WAITED_H
#define SPROF_PROFILE_WAITED_H

#include <stdbool.h>

#include "profile/profile.h"

/* What a row's exact waits come to; lengths from leaving a CPU to getting one again, in ns. */
struct sprof_exact_waits_of {
	uint64_t waits, ns, longest_ns;
};

/* Before the first row: this recording will have exact waits. */
void sprof_profile_expect_waits(struct sprof_profile *profile);

bool sprof_profile_has_exact_waits(const struct sprof_profile *profile);

/* Those of a row. False: the profile has none, of any row. */
bool sprof_profile_exact_waits(
	const struct sprof_profile *profile, size_t row, struct sprof_exact_waits_of *ret);

#endif
