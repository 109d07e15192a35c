/*
 * Aggregates by function and run. With single runs, a difference is judged by the number of
 * samples: the standard error of n samples is sqrt(n). Run-queue time depends on the machine, so a
 * difference that it could explain is not significant either. With several runs, the order counts:
 * if all runs of one side exceed all of the other, chance does that in two of all possible orders.
 */
#include "profile/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/answer/boundaries.h"
#include "profile/answer/own-place.h"
#include "profile/answer/idle.h"
#include "profile/views/stack-lines.h"

static const double rarely = 0.05, /* how often chance may look like a change */
	errors = 3; /* standard errors that chance hardly leaves, in one of many functions */

struct tally {
	const struct sprof_profile *profile;
	uint32_t base_threads;
	enum sprof_weight weight;
	size_t runs[SPROF_SIDES], all_runs;
	double *values;   /* by function and run; after the functions: idle time and the whole */
	double *samples;  /* by function and side */
	double *queued;   /* the same; the run-queue part of the weight */
	uint8_t *present; /* by function and side: enum seen */
};

enum seen { SEEN = 1, SEEN_CALLED = 2 };

static double *values_of(const struct tally *tally, size_t function, enum sprof_side side)
{
	return tally->values + function * tally->all_runs +
		(side == SPROF_SIDE_NEW ? tally->runs[SPROF_SIDE_BASE] : 0);
}

/* Runs are numbered through both sides. */
static void count_runs(struct tally *tally)
{
	const struct sprof_profile *profile = tally->profile;

	for (uint32_t i = 0; i < profile->thread_count; i++) {
		size_t *runs = &tally->runs[sprof_side_of(i, tally->base_threads)];

		*runs = profile->threads[i].run + (size_t)1;
	}
	/* Counts a run without threads, too. */
	if (tally->runs[SPROF_SIDE_NEW] <= tally->runs[SPROF_SIDE_BASE])
		tally->runs[SPROF_SIDE_NEW] = tally->runs[SPROF_SIDE_BASE] + 1;
	tally->all_runs = tally->runs[SPROF_SIDE_NEW];
	tally->runs[SPROF_SIDE_NEW] -= tally->runs[SPROF_SIDE_BASE];
}

static void see(struct tally *tally, uint32_t stack, enum sprof_side side)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;

	while ((line = sprof_stack_lines_next(tally->profile, &at)))
		tally->present[line->function * SPROF_SIDES + side] |=
			line->mark == SPROF_MARK_INLINED ? SEEN : SEEN | SEEN_CALLED;
}

/*
 * How many samples say how much of the weight the row has. Of a time there are no more than ticks in it:
 * most samples of a thread that stood in the queue repeat the one before.
 */
static double samples_of(const struct tally *tally, const struct sprof_metrics *metrics)
{
	const enum sprof_weight weight = tally->weight;
	const double value = (double)sprof_metrics_get(metrics, weight);
	const double ticks = value * tally->profile->quality.rate_hz / (double)SPROF_NS_PER_S;
	const bool is_time = weight >= SPROF_WEIGHT_WALL && weight < SPROF_WEIGHT_COUNT;

	return is_time && ticks ? fmin((double)metrics->samples, ticks) : (double)metrics->samples;
}

static void count_row(struct tally *tally, const struct sprof_profile_row *row, bool is_idle)
{
	const struct sprof_profile *profile = tally->profile;
	const uint64_t value = sprof_metrics_get(&row->metrics, tally->weight);
	const enum sprof_side side = sprof_side_of(row->thread, tally->base_threads);
	const size_t run = profile->threads[row->thread].run;
	const struct sprof_profile_line *own = sprof_profile_own_line(profile, row->stack);
	size_t function = is_idle || !own ? profile->function_count : own->function;

	if (!value)
		return;
	tally->values[function * tally->all_runs + run] += (double)value;
	tally->values[(profile->function_count + 1) * tally->all_runs + run] += (double)value;
	tally->samples[function * SPROF_SIDES + side] += samples_of(tally, &row->metrics);
	if (tally->weight == SPROF_WEIGHT_WALL)
		tally->queued[function * SPROF_SIDES + side] +=
			(double)sprof_metrics_get(&row->metrics, SPROF_WEIGHT_RUNQ);
	see(tally, row->stack, side);
}

static int compare_values(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static struct sprof_compared summarise(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_values);
	return (struct sprof_compared){
		.median = (values[(count - 1) / 2] + values[count / 2]) / 2,
		.low = values[0],
		.high = values[count - 1],
	};
}

static void summarise_sides(
	const struct tally *tally, size_t function, struct sprof_compared ret[SPROF_SIDES])
{
	for (int side = 0; side < SPROF_SIDES; side++)
		ret[side] = summarise(
			values_of(tally, function, (enum sprof_side)side), tally->runs[side]);
}

/* Whether the order of the runs can be more than chance at all. */
static bool are_enough(const struct tally *tally)
{
	double orders = 1;

	for (size_t i = 1; i <= tally->runs[SPROF_SIDE_NEW]; i++)
		orders *= (double)(tally->runs[SPROF_SIDE_BASE] + i) / (double)i;
	return 2 / orders <= rarely;
}

bool sprof_compared_runs_differ(const struct sprof_compared sides[SPROF_SIDES])
{
	return sides[0].high < sides[1].low || sides[1].high < sides[0].low;
}

static bool samples_differ(
	const struct tally *tally, const struct sprof_comparison_row *row, size_t function)
{
	double square = 0;

	for (int side = 0; side < SPROF_SIDES; side++) {
		double samples = tally->samples[function * SPROF_SIDES + (size_t)side];
		double value = row->sides[side].median;
		double queued = tally->queued[function * SPROF_SIDES + (size_t)side];

		square += value * value / (samples < 1 ? 1 : samples);
		square += queued * queued / (errors * errors);
	}
	return fabs(sprof_comparison_change(row)) > errors * sqrt(square);
}

static enum sprof_presence presence_of(const struct tally *tally, size_t function)
{
	const uint8_t *seen = &tally->present[function * SPROF_SIDES];

	if (function == tally->profile->function_count)
		return SPROF_PRESENT_BOTH;
	if (!seen[SPROF_SIDE_BASE])
		return SPROF_PRESENT_NEW;
	if (!seen[SPROF_SIDE_NEW])
		return SPROF_PRESENT_GONE;
	if (seen[SPROF_SIDE_BASE] & ~seen[SPROF_SIDE_NEW] & SEEN_CALLED)
		return SPROF_PRESENT_INLINED;
	if (seen[SPROF_SIDE_NEW] & ~seen[SPROF_SIDE_BASE] & SEEN_CALLED)
		return SPROF_PRESENT_NOT_INLINED;
	return SPROF_PRESENT_BOTH;
}

static int compare_rows(const void *left, const void *right)
{
	const struct sprof_comparison_row *a = left, *b = right;
	double one = fabs(sprof_comparison_change(a)), other = fabs(sprof_comparison_change(b));

	if (one != other)
		return one > other ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void fill_rows(const struct tally *tally, struct sprof_comparison *comparison)
{
	const struct sprof_profile *profile = tally->profile;
	const bool several = tally->all_runs > SPROF_SIDES, enough = are_enough(tally);

	for (size_t i = 0; i <= profile->function_count; i++) {
		struct sprof_comparison_row row = {
			.function = i < profile->function_count ? (uint32_t)i : SPROF_PROFILE_NONE,
			.presence = presence_of(tally, i),
		};

		summarise_sides(tally, i, row.sides);
		if (!row.sides[0].high && !row.sides[1].high)
			continue;
		row.is_sure = several ? enough && sprof_compared_runs_differ(row.sides)
				      : samples_differ(tally, &row, i);
		row.is_cause = i < profile->function_count &&
			!sprof_profile_is_libc(profile, row.function);
		comparison->rows[comparison->count++] = row;
	}
	qsort(comparison->rows, comparison->count, sizeof(*comparison->rows), compare_rows);
	for (comparison->cause = 0; comparison->cause < comparison->count &&
		!comparison->rows[comparison->cause].is_cause;)
		comparison->cause++;
	summarise_sides(tally, profile->function_count + 1, comparison->whole);
	comparison->are_few = several && !enough;
	comparison->is_sure = several && enough && sprof_compared_runs_differ(comparison->whole);
}

static bool allocate(struct tally *tally, struct sprof_comparison *comparison)
{
	const size_t functions = tally->profile->function_count + 2;

	tally->values = calloc(functions * tally->all_runs, sizeof(*tally->values));
	tally->samples = calloc(functions * SPROF_SIDES, sizeof(*tally->samples));
	tally->queued = calloc(functions * SPROF_SIDES, sizeof(*tally->queued));
	tally->present = calloc(functions * SPROF_SIDES, sizeof(*tally->present));
	comparison->rows = calloc(functions, sizeof(*comparison->rows));
	return tally->values && tally->samples && tally->queued && tally->present &&
		comparison->rows;
}

bool sprof_comparison_build(const struct sprof_profile *joined, uint32_t base_threads,
	enum sprof_weight weight, struct sprof_comparison *ret, struct sprof_error *err)
{
	struct tally tally = {.profile = joined, .base_threads = base_threads, .weight = weight};
	SPROF_AUTO_FREE bool *idle = sprof_profile_idle_rows(joined);
	bool ok;

	*ret = (struct sprof_comparison){0};
	count_runs(&tally);
	ok = idle && allocate(&tally, ret);
	for (size_t i = 0; ok && i < joined->row_count; i++)
		count_row(&tally, &joined->rows[i], idle[i]);
	if (ok) {
		memcpy(ret->runs, tally.runs, sizeof(ret->runs));
		fill_rows(&tally, ret);
	}
	free(tally.values);
	free(tally.samples);
	free(tally.queued);
	free(tally.present);
	if (ok)
		return true;
	sprof_comparison_finish(ret);
	return sprof_error_no_memory(err);
}

void sprof_comparison_finish(struct sprof_comparison *comparison)
{
	free(comparison->rows);
	*comparison = (struct sprof_comparison){0};
}
