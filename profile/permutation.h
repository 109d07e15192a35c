/*
 * How much a figure has changed from some runs to others: an interval from permutations of the runs.
 */
#ifndef SPROF_PROFILE_PERMUTATION_H
#define SPROF_PROFILE_PERMUTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/diff.h"

/* A figure of each run of one side, none below 0. */
struct sprof_runs {
	const double *values;
	size_t count;
};

struct sprof_change {
	double means[SPROF_SIDES];
	/*
	 * Of the means, and the ends of its interval. Relative: a share of the mean before, from -1
	 * on, infinite if that is 0 and the other isn't. Else in the unit of the figures.
	 */
	double change, low, high;
};

/* How many assignments of runs to sides an interval is made of: all, or what is drawn of them. */
double sprof_permutation_count(size_t before, size_t after);

/*
 * Each end of the interval is wrong with a probability of at most `level` (at most 0.5), which times
 * sprof_permutation_count() must be at least 1. Both sides have runs. Equal runs give equal results.
 * False: no memory.
 */
SPROF_MUST_USE bool sprof_permutation_change(const struct sprof_runs sides[SPROF_SIDES],
	bool relative, double level, struct sprof_change *ret, struct sprof_error *err);

#endif
