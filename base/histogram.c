/*
 * A log-linear histogram: every power of two is divided into equal steps, and gets memory with its
 * first value. Deterministic: the same values in any order, merged in any way, give the same
 * quantiles. Does not handle the removal of values.
 */
#include "base/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"

/* log2 of SPROF_HISTOGRAM_STEPS. */
enum { STEP_BITS = 6 };

static unsigned octave_of(uint64_t value)
{
	if (value < SPROF_HISTOGRAM_STEPS)
		return 0;
	return 63u - (unsigned)__builtin_clzll(value) - (STEP_BITS - 1);
}

static unsigned step_of(uint64_t value, unsigned octave)
{
	if (!octave)
		return (unsigned)value;
	return (unsigned)(value >> (octave - 1)) - SPROF_HISTOGRAM_STEPS;
}

/* The value that represents a step. */
static uint64_t middle_of(unsigned octave, unsigned step)
{
	uint64_t first;

	if (!octave)
		return step;
	first = (uint64_t)(SPROF_HISTOGRAM_STEPS + step) << (octave - 1);
	return first + ((UINT64_C(1) << (octave - 1)) - 1) / 2;
}

static bool reserve(struct sprof_histogram *histogram, unsigned octave)
{
	if (!histogram->octaves[octave])
		histogram->octaves[octave] = calloc(SPROF_HISTOGRAM_STEPS, sizeof(uint64_t));
	return histogram->octaves[octave];
}

/* Adds to all figures except those of the steps. */
static void count_values(struct sprof_histogram *histogram, uint64_t count, uint64_t total,
	uint64_t min, uint64_t max)
{
	if (!histogram->count || min < histogram->min)
		histogram->min = min;
	if (max > histogram->max)
		histogram->max = max;
	histogram->count += count;
	histogram->total = sprof_plus(histogram->total, total);
}

bool sprof_histogram_add(struct sprof_histogram *histogram, uint64_t value)
{
	return sprof_histogram_add_times(histogram, value, 1);
}

bool sprof_histogram_add_times(struct sprof_histogram *histogram, uint64_t value, uint64_t times)
{
	const unsigned octave = octave_of(value);
	uint64_t total;

	if (!reserve(histogram, octave))
		return false;
	if (__builtin_mul_overflow(value, times, &total))
		total = UINT64_MAX;
	histogram->octaves[octave][step_of(value, octave)] += times;
	count_values(histogram, times, total, value, value);
	return true;
}

/* From 1 to count. */
static uint64_t rank_of(uint64_t count, double fraction)
{
	double share = fraction * (double)count;
	uint64_t rank;

	/* 0.07 is a little more than 7 %: without this, rank 8 of 100 would be its nearest one. */
	share -= share * 1e-14;
	if (!(share > 1))
		return 1;
	if (share >= (double)count)
		return count;
	rank = (uint64_t)share;
	return (double)rank < share ? rank + 1 : rank;
}

static uint64_t value_of_rank(const struct sprof_histogram *histogram, uint64_t rank)
{
	uint64_t seen = 0;

	for (unsigned octave = 0; octave < SPROF_HISTOGRAM_OCTAVES; octave++) {
		const uint64_t *steps = histogram->octaves[octave];

		for (unsigned i = 0; steps && i < SPROF_HISTOGRAM_STEPS; i++) {
			seen += steps[i];
			if (seen >= rank)
				return middle_of(octave, i);
		}
	}
	return histogram->max;
}

uint64_t sprof_histogram_quantile(const struct sprof_histogram *histogram, double fraction)
{
	uint64_t rank, value;

	if (!histogram->count)
		return 0;
	rank = rank_of(histogram->count, fraction);
	if (rank == 1)
		return histogram->min;
	if (rank == histogram->count)
		return histogram->max;
	value = value_of_rank(histogram, rank);
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

/* The memory for what another one has. */
static bool reserve_as(struct sprof_histogram *histogram, const struct sprof_histogram *other)
{
	for (unsigned octave = 0; octave < SPROF_HISTOGRAM_OCTAVES; octave++) {
		if (other->octaves[octave] && !reserve(histogram, octave))
			return false;
	}
	return true;
}

bool sprof_histogram_merge(struct sprof_histogram *into, const struct sprof_histogram *from)
{
	if (!from->count)
		return true;
	if (!reserve_as(into, from))
		return false;
	for (unsigned octave = 0; octave < SPROF_HISTOGRAM_OCTAVES; octave++) {
		for (unsigned i = 0; from->octaves[octave] && i < SPROF_HISTOGRAM_STEPS; i++)
			into->octaves[octave][i] += from->octaves[octave][i];
	}
	count_values(into, from->count, from->total, from->min, from->max);
	return true;
}

bool sprof_histogram_merge_scaled(
	struct sprof_histogram *into, const struct sprof_histogram *from, double factor)
{
	const double total = (double)from->total * factor;
	uint64_t count = 0;

	if (!reserve_as(into, from))
		return false;
	for (unsigned octave = 0; octave < SPROF_HISTOGRAM_OCTAVES; octave++) {
		for (unsigned i = 0; from->octaves[octave] && i < SPROF_HISTOGRAM_STEPS; i++) {
			const double scaled = (double)from->octaves[octave][i] * factor + 0.5;

			into->octaves[octave][i] += (uint64_t)scaled;
			count += (uint64_t)scaled;
		}
	}
	if (count)
		count_values(into, count, total < 0x1p63 ? (uint64_t)total : UINT64_MAX, from->min,
			from->max);
	return true;
}

void sprof_histogram_reset(struct sprof_histogram *histogram)
{
	for (unsigned octave = 0; octave < SPROF_HISTOGRAM_OCTAVES; octave++) {
		if (histogram->octaves[octave])
			memset(histogram->octaves[octave], 0,
				SPROF_HISTOGRAM_STEPS * sizeof(uint64_t));
	}
	histogram->count = 0;
	histogram->total = 0;
	histogram->min = 0;
	histogram->max = 0;
}

void sprof_histogram_finish(struct sprof_histogram *histogram)
{
	for (unsigned octave = 0; octave < SPROF_HISTOGRAM_OCTAVES; octave++)
		free(histogram->octaves[octave]);
	*histogram = (struct sprof_histogram){0};
}
