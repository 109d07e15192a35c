/* Exact waits in a recording: per row their number, total length, and maximum. */
#pragma once

#include <stdbool.h>

#include "profile/model/profile.h"

/* A row's exact waits. Lengths are from leaving a CPU to getting one again, in ns. */
struct sprof_exact_waits_of {
	uint64_t waits, ns, longest_ns;
};

/* Call before the first row: this recording will have exact waits. */
void sprof_profile_expect_waits(struct sprof_profile *profile);

bool sprof_profile_has_exact_waits(const struct sprof_profile *profile);

/* The exact waits of a row. Returns false if the profile has none. */
bool sprof_profile_exact_waits(
	const struct sprof_profile *profile, size_t row, struct sprof_exact_waits_of *ret);
