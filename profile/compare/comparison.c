/*
 * Aggregates by function and run. Idle time, time in the run queue and stolen time belong to no
 * function, because they depend on the machine. A change is sure if chance hardly explains it. With
 * single runs, only CPU time is judged, by the number of samples: a wait is as long as something
 * else takes, and one run does not show how much that varies. With several runs, the ranges of the
 * runs and their order count, too.
 */
#include "profile/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "profile/classify/boundaries.h"
#include "profile/classify/idle.h"
#include "profile/classify/own-place.h"
#include "profile/model/stack-lines.h"

/* How often chance may look like a change: the limit for one order of runs. */
static const double rarely = 0.05;
/* Standard errors; chance exceeds them in one of 10^6 functions. */
static const double errors = 5;
/* The part of a time by which the machine's speed may change it from run to run. */
static const double machine = 0.1;

/* Rows after those of the functions. */
enum { IDLE, QUEUE, WHOLE, FURTHER_ROWS };

/* The sum over all runs of a side, and the number of samples behind it. */
struct amount {
	double value, samples;
};

enum { ALL, ON_CPU, AMOUNTS };

struct tally {
	const struct sprof_profile *profile;
	uint32_t base_threads;
	enum sprof_weight weight;
	size_t runs[SPROF_SIDES], all_runs;
	double *values;                     /* by row and run */
	struct amount (*evidence)[AMOUNTS]; /* by row and side */
	uint8_t *present;                   /* by function and side: enum seen */
};

enum seen { SEEN = 1, SEEN_CALLED = 2 };

static double *values_of(const struct tally *tally, size_t row, enum sprof_side side)
{
	return tally->values + row * tally->all_runs +
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

/* The part of a row's value that was spent on a CPU. If the weight is not a time, all of it. */
static double cpu_part(const struct tally *tally, const struct sprof_metrics *metrics)
{
	const uint64_t *ns = metrics->times.ns;
	const double cpu = (double)(ns[SPROF_TIME_USER] + ns[SPROF_TIME_SYS]),
		     wall = (double)sprof_times_wall(&metrics->times);
	const enum sprof_weight weight = tally->weight;

	if (weight == SPROF_WEIGHT_WALL)
		return cpu;
	if (weight == SPROF_WEIGHT_SAMPLES && wall > 0)
		return (double)metrics->samples * cpu / wall;
	if (sprof_weight_is_time(weight) && weight != SPROF_WEIGHT_USER &&
		weight != SPROF_WEIGHT_SYS)
		return 0;
	return (double)sprof_metrics_get(metrics, weight);
}

/*
 * The number of independent samples: not more than ticks fit into the time, because the samples of
 * a thread in the run queue repeat the one before.
 */
static double samples_of(
	const struct tally *tally, const struct sprof_metrics *metrics, double value)
{
	const double ticks = value * tally->profile->quality.rate_hz / (double)SPROF_NS_PER_S;

	return sprof_weight_is_time(tally->weight) && ticks > 0
		? fmin((double)metrics->samples, ticks)
		: (double)metrics->samples;
}

static void add_value(struct tally *tally, size_t row, const struct sprof_profile_row *from,
	double value, double on_cpu)
{
	const enum sprof_side side = sprof_side_of(from->thread, tally->base_threads);
	const double values[AMOUNTS] = {[ALL] = value, [ON_CPU] = on_cpu};

	tally->values[row * tally->all_runs + tally->profile->threads[from->thread].run] += value;
	for (int i = 0; i < AMOUNTS; i++) {
		struct amount *amount = &tally->evidence[row * SPROF_SIDES + side][i];

		amount->value += values[i];
		amount->samples += values[i] > 0 ? samples_of(tally, &from->metrics, values[i]) : 0;
	}
}

static void count_row(struct tally *tally, const struct sprof_profile_row *row, bool is_idle)
{
	const struct sprof_profile *profile = tally->profile;
	const size_t functions = profile->function_count;
	const uint64_t value = sprof_metrics_get(&row->metrics, tally->weight);
	const struct sprof_profile_line *own = sprof_profile_own_line(profile, row->stack);
	const double on_cpu = cpu_part(tally, &row->metrics);
	const uint64_t queued = tally->weight == SPROF_WEIGHT_WALL
		? sprof_metrics_get(&row->metrics, SPROF_WEIGHT_RUNQ) +
			sprof_metrics_get(&row->metrics, SPROF_WEIGHT_STOLEN)
		: 0;

	if (!value)
		return;
	if (queued)
		add_value(tally, functions + QUEUE, row, (double)queued, 0);
	if (value > queued)
		add_value(tally, is_idle || !own ? functions + IDLE : own->function, row,
			(double)(value - queued), on_cpu);
	add_value(tally, functions + WHOLE, row, (double)value, on_cpu);
	see(tally, row->stack, sprof_side_of(row->thread, tally->base_threads));
}

/*
 * A thread that does nothing but wait for what may be a queue is idle. This may hold in one run and
 * not in another, so a wait that is idle in one run counts as idle in all.
 */
static bool extend_idle(const struct sprof_profile *joined, bool *idle)
{
	SPROF_AUTO_FREE bool *stacks = calloc(joined->stack_count + 1, sizeof(*stacks));

	for (size_t i = 0; stacks && i < joined->row_count; i++)
		stacks[joined->rows[i].stack] |= idle[i];
	for (size_t i = 0; stacks && i < joined->row_count; i++) {
		const struct sprof_profile_row *row = &joined->rows[i];

		idle[i] |= stacks[row->stack] &&
			joined->contexts[row->context].kind != SPROF_WAIT_KIND_NONE;
	}
	return stacks != NULL;
}

static struct sprof_compared summarise(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), sprof_compare_double);
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

/* Whether the gap between the two sides' ranges is larger than each range. */
static bool runs_differ(const struct sprof_compared sides[SPROF_SIDES])
{
	const double gap = fmax(sides[1].low - sides[0].high, sides[0].low - sides[1].high);

	return gap > 0 && gap >= fmax(sides[0].high - sides[0].low, sides[1].high - sides[1].low);
}

static struct amount amount_of(
	const struct tally *tally, size_t row, enum sprof_side side, bool only_cpu)
{
	return tally->evidence[row * SPROF_SIDES + side][only_cpu];
}

/*
 * If n samples are in a function with the share p of all, chance changes n by sqrt(n (1 - p)); the
 * sum of all functions is the kernel's figure, and exact. One sample more or less is always chance.
 */
static bool samples_differ(const struct tally *tally, size_t row, bool only_cpu)
{
	const size_t whole_row = tally->profile->function_count + WHOLE;
	struct amount own[SPROF_SIDES], whole[SPROF_SIDES];
	double means[SPROF_SIDES], square = 0, share;

	for (int side = 0; side < SPROF_SIDES; side++) {
		own[side] = amount_of(tally, row, (enum sprof_side)side, only_cpu);
		whole[side] = amount_of(tally, whole_row, (enum sprof_side)side, only_cpu);
		means[side] = own[side].value / (double)tally->runs[side];
	}
	share = (own[0].value + own[1].value) / fmax(whole[0].value + whole[1].value, 1);
	for (int side = 0; side < SPROF_SIDES; side++) {
		const struct amount *known = own[side].value > 0 ? &own[side] : &whole[side];
		const double of_one =
			known->value / fmax(known->samples, 1) / (double)tally->runs[side];

		square += of_one * of_one * (own[side].samples * (1 - share) + 1);
	}
	return fabs(means[1] - means[0]) >
		fmax(errors * sqrt(square), machine * fmax(means[0], means[1]));
}

/* Whether most of a row's change is in its CPU time. */
static bool is_of_cpu(
	const struct tally *tally, const struct sprof_comparison_row *row, size_t number)
{
	const double cpu = amount_of(tally, number, SPROF_SIDE_NEW, true).value /
			(double)tally->runs[SPROF_SIDE_NEW] -
		amount_of(tally, number, SPROF_SIDE_BASE, true).value /
			(double)tally->runs[SPROF_SIDE_BASE];

	return cpu / sprof_comparison_change(row) > 0.5;
}

static bool is_likely(
	const struct tally *tally, const struct sprof_comparison_row *row, size_t number)
{
	const bool enough = are_enough(tally);

	if (tally->all_runs > SPROF_SIDES && !runs_differ(row->sides))
		return false;
	return (enough || is_of_cpu(tally, row, number)) && samples_differ(tally, number, !enough);
}

static enum sprof_presence presence_of(const struct tally *tally, size_t function)
{
	const uint8_t *seen = &tally->present[function * SPROF_SIDES];

	if (function >= tally->profile->function_count)
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

	comparison->are_few = tally->all_runs > SPROF_SIDES && !are_enough(tally);
	for (size_t i = 0; i < profile->function_count + WHOLE; i++) {
		const bool is_function = i < profile->function_count;
		struct sprof_comparison_row row = {
			.function = is_function ? (uint32_t)i : SPROF_PROFILE_NONE,
			.is_queue = i == profile->function_count + QUEUE,
			.presence = presence_of(tally, i),
		};

		summarise_sides(tally, i, row.sides);
		if (!row.sides[0].high && !row.sides[1].high)
			continue;
		row.is_likely = is_likely(tally, &row, i);
		row.is_sure = row.is_likely && !comparison->are_few;
		row.is_cause = is_function && !sprof_profile_is_libc(profile, row.function);
		comparison->rows[comparison->count++] = row;
	}
	qsort(comparison->rows, comparison->count, sizeof(*comparison->rows), compare_rows);
	for (comparison->cause = 0; comparison->cause < comparison->count &&
		!comparison->rows[comparison->cause].is_cause;)
		comparison->cause++;
}

static void judge_whole(const struct tally *tally, struct sprof_comparison *comparison)
{
	const size_t whole = tally->profile->function_count + WHOLE;

	summarise_sides(tally, whole, comparison->whole);
	comparison->cpu_samples = fmin(amount_of(tally, whole, SPROF_SIDE_BASE, true).samples,
		amount_of(tally, whole, SPROF_SIDE_NEW, true).samples);
	comparison->is_sure = are_enough(tally) && runs_differ(comparison->whole);
}

static bool allocate(struct tally *tally, struct sprof_comparison *comparison)
{
	const size_t rows = tally->profile->function_count + FURTHER_ROWS;

	tally->values = calloc(rows * tally->all_runs, sizeof(*tally->values));
	tally->evidence = calloc(rows * SPROF_SIDES, sizeof(*tally->evidence));
	tally->present = calloc(rows * SPROF_SIDES, sizeof(*tally->present));
	comparison->rows = calloc(rows, sizeof(*comparison->rows));
	return tally->values && tally->evidence && tally->present && comparison->rows;
}

bool sprof_comparison_build(const struct sprof_profile *joined, uint32_t base_threads,
	enum sprof_weight weight, struct sprof_comparison *ret, struct sprof_error *err)
{
	struct tally tally = {.profile = joined, .base_threads = base_threads, .weight = weight};
	SPROF_AUTO_FREE bool *idle = sprof_profile_idle_rows(joined);
	bool ok;

	*ret = (struct sprof_comparison){0};
	count_runs(&tally);
	ok = idle && extend_idle(joined, idle) && allocate(&tally, ret);
	for (size_t i = 0; ok && i < joined->row_count; i++)
		count_row(&tally, &joined->rows[i], idle[i]);
	if (ok) {
		memcpy(ret->runs, tally.runs, sizeof(ret->runs));
		fill_rows(&tally, ret);
		judge_whole(&tally, ret);
	}
	free(tally.values);
	free(tally.evidence);
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
