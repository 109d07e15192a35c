/* Compares two profiles: joins them into one, and makes a table of changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/* The profile that a figure belongs to. */
enum sprof_side { SPROF_SIDE_BASE, SPROF_SIDE_NEW, SPROF_SIDES };

/*
 * Joins the runs into one profile with common stacks and functions: first the runs before, then
 * those after, at least one of each. Runs share no threads; the base's *ret_base_threads threads
 * come first. Fails if the profiles count different things. The caller destroys *ret.
 */
SPROF_MUST_USE bool sprof_profile_join(const struct sprof_profile *const runs[],
	const size_t counts[SPROF_SIDES], struct sprof_profile **ret, uint32_t *ret_base_threads,
	struct sprof_error *err);

static inline enum sprof_side sprof_side_of(uint32_t thread, uint32_t base_threads)
{
	return thread < base_threads ? SPROF_SIDE_BASE : SPROF_SIDE_NEW;
}

struct sprof_diff_row {
	uint32_t function;
	uint64_t self[SPROF_SIDES], total[SPROF_SIDES];
};

struct sprof_diff {
	struct sprof_diff_row *rows; /* by change of self, descending, then total, then name */
	size_t count;
	uint64_t whole[SPROF_SIDES];
	/*
	 * Factors that make the sides comparable. Normalised: the base is scaled to the weight of
	 * the new side; absolute: both are 1.
	 */
	double scale[SPROF_SIDES];
};

/* Compares the two sides of a joined profile by function. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_diff_build(const struct sprof_profile *joined, uint32_t base_threads,
	enum sprof_weight weight, bool absolute, struct sprof_diff *ret, struct sprof_error *err);
void sprof_diff_finish(struct sprof_diff *diff);

/* The scaled change of a figure; positive: it grew. */
double sprof_diff_of(const struct sprof_diff *diff, const uint64_t sides[SPROF_SIDES]);
