/*
 * Compares two profiles: one profile with the rows of both, and a table of changes.
 */
#ifndef SPROF_PROFILE_DIFF_H
#define SPROF_PROFILE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"

/* The profile that a figure belongs to. */
enum sprof_side { SPROF_SIDE_BASE, SPROF_SIDE_NEW, SPROF_SIDES };

/*
 * A profile with all rows of all runs, on common stacks and functions: first those before, then
 * those after, at least one of each. Runs share no thread: the base's threads come first,
 * *ret_base_threads of them. Refuses profiles that count different things. The caller destroys *ret.
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
	struct sprof_diff_row *rows; /* by change of self, falling, then total, then name */
	size_t count;
	uint64_t whole[SPROF_SIDES];
	/*
	 * The factor that makes a side's figures comparable. Normalised, the base weighs as much as
	 * the new one; absolute, both are 1.
	 */
	double scale[SPROF_SIDES];
};

/* Compares the two sides of a joined profile, function by function. False: no memory. */
SPROF_MUST_USE bool sprof_diff_build(const struct sprof_profile *joined, uint32_t base_threads,
	enum sprof_weight weight, bool absolute, struct sprof_diff *ret, struct sprof_error *err);
void sprof_diff_finish(struct sprof_diff *diff);

/* The scaled increase (positive) or decrease (negative) of a figure. */
double sprof_diff_of(const struct sprof_diff *diff, const uint64_t sides[SPROF_SIDES]);

#endif
