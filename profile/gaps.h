/*
 * Modules with frames without names: their share of the profile, the reason, and what would help.
 */
#ifndef SPROF_PROFILE_GAPS_H
#define SPROF_PROFILE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/symbols.h"
#include "profile/profile.h"

/* Finds the reason for each module with unresolved frames, and keeps it. False: no memory. */
SPROF_MUST_USE bool sprof_profile_explain(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

struct sprof_gap {
	uint32_t module;
	uint64_t addresses;     /* distinct ones */
	uint64_t samples;       /* with at least one such frame on the stack */
	const char *why, *help; /* NULL: not known */
};

/* By samples, falling. */
struct sprof_gaps {
	struct sprof_gap *items;
	size_t count;
	uint64_t all_samples; /* of the profile */
};

/* Fills *ret; the caller finishes it. False: no memory. */
SPROF_MUST_USE bool sprof_gaps_build(
	const struct sprof_profile *profile, struct sprof_gaps *ret, struct sprof_error *err);
void sprof_gaps_finish(struct sprof_gaps *gaps);

#endif
