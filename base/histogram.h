/*
 * How often which values occurred: a log-linear histogram. Its quantiles are within 1 % of those of
 * the values themselves; count, total, min and max are exact. Its memory does not depend on the
 * number of values: 512 bytes for each power of two in which there is one, 31 KB at most.
 */
#ifndef SPROF_BASE_HISTOGRAM_H
#define SPROF_BASE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	/* Equal steps per power of two. The middle of a step is within 0.8 % of all its values. */
	SPROF_HISTOGRAM_STEPS = 64,
	/* The first one has the values below 64, each in a step of its own. */
	SPROF_HISTOGRAM_OCTAVES = 64 - 5,
};

/* Zeroed is empty and valid. */
struct sprof_histogram {
	uint64_t count;
	uint64_t total; /* UINT64_MAX if the sum does not fit */
	uint64_t min, max;
	uint64_t *octaves[SPROF_HISTOGRAM_OCTAVES]; /* NULL: no value; else counts of the steps */
};

/* False: no memory; the value is not counted. */
SPROF_MUST_USE bool sprof_histogram_add(struct sprof_histogram *histogram, uint64_t value);

/*
 * The smallest value that at least `fraction` (0 to 1) of the values do not exceed (nearest rank).
 * The first and the last one are exact. 0: there is no value.
 */
uint64_t sprof_histogram_quantile(const struct sprof_histogram *histogram, double fraction);

/* Adds all values of `from`. False: no memory; nothing is added. */
SPROF_MUST_USE bool sprof_histogram_merge(
	struct sprof_histogram *into, const struct sprof_histogram *from);

/* Forgets the values, keeps the memory. */
void sprof_histogram_reset(struct sprof_histogram *histogram);

/* Frees the memory. The histogram is then empty and valid. */
void sprof_histogram_finish(struct sprof_histogram *histogram);

#endif
