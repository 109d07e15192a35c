/*
 * A log-linear histogram. Quantiles are within 1 % of the exact ones; count, total, min and max are
 * exact. Memory does not depend on the number of values: 512 bytes per power of two with a value,
 * at most 31 KB.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	/* Equal steps per power of two. A step's middle is within 0.8 % of all its values. */
	SPROF_HISTOGRAM_STEPS = 64,
	/* The first one holds the values below 64, one step each. */
	SPROF_HISTOGRAM_OCTAVES = 64 - 5,
};

/* Zeroed is empty and valid. */
struct sprof_histogram {
	uint64_t count;
	uint64_t total; /* UINT64_MAX on overflow */
	uint64_t min, max;
	uint64_t *octaves[SPROF_HISTOGRAM_OCTAVES]; /* NULL: no values; else counts per step */
};

/* Returns false if out of memory; the value is then not counted. */
SPROF_MUST_USE bool sprof_histogram_add(struct sprof_histogram *histogram, uint64_t value);
/* Adds a value as often as `times`, at least 1. */
SPROF_MUST_USE bool sprof_histogram_add_times(
	struct sprof_histogram *histogram, uint64_t value, uint64_t times);

/*
 * The smallest value such that at least `fraction` (0 to 1) of the values don't exceed it (nearest
 * rank). Exact for 0 and 1. 0: no values.
 */
uint64_t sprof_histogram_quantile(const struct sprof_histogram *histogram, double fraction);

/* Adds all values of `from`. Returns false, and adds nothing, if out of memory. */
SPROF_MUST_USE bool sprof_histogram_merge(
	struct sprof_histogram *into, const struct sprof_histogram *from);

/* The same for `factor` times as many of each value, rounded. */
SPROF_MUST_USE bool sprof_histogram_merge_scaled(
	struct sprof_histogram *into, const struct sprof_histogram *from, double factor);

/* Removes the values, keeps the memory. */
void sprof_histogram_reset(struct sprof_histogram *histogram);

/* Frees the memory. The histogram is then empty and valid. */
void sprof_histogram_finish(struct sprof_histogram *histogram);
