/*
 * The change of a figure between two sets of runs, with a confidence interval from permutations of
 * the runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/compare/diff.h"

/* One side's figures, one per run, none negative. */
struct sprof_runs {
	const double *values;
	size_t count;
};

struct sprof_change {
	double means[SPROF_SIDES];
	/*
	 * Change of the mean, and the ends of its interval. Relative: as a fraction of the mean
	 * before, from -1 on, infinite if only that mean is 0. Else in the figures' unit.
	 */
	double change, low, high;
};

/* The number of assignments of runs to sides that the interval uses: all, or a random subset. */
double sprof_permutation_count(size_t before, size_t after);

/*
 * `level` (at most 0.5): the largest error probability of each end; level *
 * sprof_permutation_count() must be at least 1. Both sides have runs. Deterministic. Returns false
 * if out of memory.
 */
SPROF_MUST_USE bool sprof_permutation_change(const struct sprof_runs sides[SPROF_SIDES],
	bool relative, double level, struct sprof_change *ret, struct sprof_error *err);
