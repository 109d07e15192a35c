/* Modules with unresolved frames: their share of the profile, the reason, and a remedy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/names/symbols.h"
#include "profile/model/profile.h"

/*
 * Finds and stores the reason for each module with unresolved frames. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_profile_explain(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

struct sprof_gap {
	uint32_t module;
	uint64_t addresses;     /* number of distinct addresses */
	uint64_t samples;       /* samples with at least one such frame */
	const char *why, *help; /* NULL: unknown */
};

/* By samples, descending. */
struct sprof_gaps {
	struct sprof_gap *items;
	size_t count;
	uint64_t all_samples; /* of the profile */
};

/* Fills *ret; the caller finishes it. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_gaps_build(
	const struct sprof_profile *profile, struct sprof_gaps *ret, struct sprof_error *err);
void sprof_gaps_finish(struct sprof_gaps *gaps);
