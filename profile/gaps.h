/*
 * Modules with frames that have no name: how much of the profile that is, why, and what would help.
 */
#ifndef SPROF_PROFILE_GAPS_H
#define SPROF_PROFILE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elfsym/symbols.h"
#include "profile/profile.h"

/* Asks why, for each module with unresolved frames, and keeps the answers. False: no memory. */
bool sprof_profile_explain(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

struct sprof_gap {
	uint32_t module;
	uint64_t addresses;     /* distinct ones */
	uint64_t samples;       /* with at least one of them on the stack */
	const char *why, *help; /* NULL: not known */
};

/* By samples, falling. */
struct sprof_gaps {
	struct sprof_gap *items;
	size_t count;
	uint64_t all_samples; /* of the profile */
};

/* Fills *ret, to be finished. False: no memory. */
bool sprof_gaps_build(
	const struct sprof_profile *profile, struct sprof_gaps *ret, struct sprof_error *err);
void sprof_gaps_finish(struct sprof_gaps *gaps);

#endif
