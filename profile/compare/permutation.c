/*
 * A confidence interval for the change of a mean, from a permutation test. Runs are permuted,
 * because samples within a run are not independent. Does not handle what the figures mean.
 *
 * The test removes an assumed change from the runs after, and counts the assignments of runs to
 * sides that give at least the observed difference. If both sides differ only by that change, all
 * assignments are equally likely, for any distribution. So the test is exact even with few runs,
 * where bootstrap intervals are too short. The interval consists of the changes that the test does
 * not reject. It needs no search: an assignment swaps a set S of the runs after with an equally
 * large set R of the runs before. It gives at least the observed difference if and only if the
 * assumed change is at least mean(S) - mean(R), or mean(S) / mean(R) for factors. The ends are
 * order statistics of these.
 *
 * Different variances of the two sides do no harm with equal numbers of runs, and little otherwise.
 */
#include "profile/compare/permutation.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/numbers.h"

/* With more assignments (10 runs against 10 have 184756), a random subset is used. */
static const double all_max = 200000;
enum { DRAWS = 99999 };

/* One assignment after the other; `chosen` are the runs that count as after, by index in both. */
struct assignment {
	size_t *chosen;
	bool *is_chosen; /* by run */
	size_t before, after;
	uint64_t random; /* state of the generator */
};

/* The data behind an interval. */
struct bounds {
	double *items;
	size_t count;
	size_t ties; /* assignments that give the observed difference for any assumed change */
};

static double binomial(size_t n, size_t k)
{
	double result = 1;

	for (size_t i = 1; i <= k; i++)
		result = result * (double)(n - k + i) / (double)i;
	return round(result);
}

static bool takes_all(size_t before, size_t after)
{
	return binomial(before + after, after) <= all_max;
}

double sprof_permutation_count(size_t before, size_t after)
{
	return takes_all(before, after) ? binomial(before + after, after) : DRAWS + 1;
}

/* splitmix64 by Sebastiano Vigna (public domain). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t value = *state += 0x9e3779b97f4a7c15u;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

/* The next assignment in lexicographic order. Returns false after the last. */
static bool step(struct assignment *assignment)
{
	size_t runs = assignment->before + assignment->after, at = assignment->after;

	while (at && assignment->chosen[at - 1] == runs - assignment->after + at - 1)
		at--;
	if (!at)
		return false;
	assignment->chosen[at - 1]++;
	for (; at < assignment->after; at++)
		assignment->chosen[at] = assignment->chosen[at - 1] + 1;
	return true;
}

/* Any one, by a shuffle that ends when enough runs are chosen. `chosen` holds all runs. */
static void draw(struct assignment *assignment)
{
	size_t runs = assignment->before + assignment->after;

	for (size_t i = 0; i < assignment->after; i++) {
		size_t other = i + next_random(&assignment->random) % (runs - i);
		size_t run = assignment->chosen[i];

		assignment->chosen[i] = assignment->chosen[other];
		assignment->chosen[other] = run;
	}
}

static void add_bound(
	struct bounds *bounds, double moved_after, double moved_before, size_t moved, bool relative)
{
	if (!moved || (relative && moved_before <= 0 && moved_after <= 0))
		bounds->ties++;
	else if (relative)
		bounds->items[bounds->count++] =
			moved_before > 0 ? moved_after / moved_before - 1 : INFINITY;
	else
		bounds->items[bounds->count++] = (moved_after - moved_before) / (double)moved;
}

static void add_assignment(struct bounds *bounds, const struct assignment *assignment,
	const struct sprof_runs sides[SPROF_SIDES], bool relative)
{
	size_t runs = assignment->before + assignment->after, moved = 0;
	double moved_after = 0, moved_before = 0;

	for (size_t i = 0; i < runs; i++)
		assignment->is_chosen[i] = false;
	for (size_t i = 0; i < assignment->after; i++)
		assignment->is_chosen[assignment->chosen[i]] = true;
	for (size_t i = 0; i < assignment->before; i++) {
		if (assignment->is_chosen[i]) {
			moved_before += sides[SPROF_SIDE_BASE].values[i];
			moved++;
		}
	}
	for (size_t i = 0; i < assignment->after; i++) {
		if (!assignment->is_chosen[assignment->before + i])
			moved_after += sides[SPROF_SIDE_NEW].values[i];
	}
	add_bound(bounds, moved_after, moved_before, moved, relative);
}

/* Collects the bounds of all assignments except the actual one. */
static void collect_all(struct bounds *bounds, struct assignment *assignment,
	const struct sprof_runs sides[SPROF_SIDES], bool relative)
{
	/* The last one in the order has the runs as they were. */
	do {
		add_assignment(bounds, assignment, sides, relative);
	} while (step(assignment));
	bounds->ties--;
}

static void collect_drawn(struct bounds *bounds, struct assignment *assignment,
	const struct sprof_runs sides[SPROF_SIDES], bool relative)
{
	for (size_t i = 0; i < DRAWS; i++) {
		draw(assignment);
		add_assignment(bounds, assignment, sides, relative);
	}
}

static bool collect(
	struct bounds *bounds, const struct sprof_runs sides[SPROF_SIDES], bool relative)
{
	size_t before = sides[SPROF_SIDE_BASE].count, after = sides[SPROF_SIDE_NEW].count;
	SPROF_AUTO_FREE size_t *chosen = calloc(before + after, sizeof(*chosen));
	SPROF_AUTO_FREE bool *is_chosen = calloc(before + after, sizeof(*is_chosen));
	struct assignment assignment = {
		.chosen = chosen, .is_chosen = is_chosen, .before = before, .after = after};

	bounds->items =
		calloc((size_t)sprof_permutation_count(before, after), sizeof(*bounds->items));
	if (!chosen || !is_chosen || !bounds->items)
		return false;
	for (size_t i = 0; i < before + after; i++)
		chosen[i] = i;
	if (takes_all(before, after))
		collect_all(bounds, &assignment, sides, relative);
	else
		collect_drawn(bounds, &assignment, sides, relative);
	qsort(bounds->items, bounds->count, sizeof(*bounds->items), sprof_compare_double);
	return true;
}

static double mean_of(const struct sprof_runs *runs)
{
	double sum = 0;

	for (size_t i = 0; i < runs->count; i++)
		sum += runs->values[i];
	return sum / (double)runs->count;
}

static double change_of(const double means[SPROF_SIDES], bool relative)
{
	double before = means[SPROF_SIDE_BASE], after = means[SPROF_SIDE_NEW];

	if (!relative)
		return after - before;
	if (before > 0)
		return after / before - 1;
	return after > 0 ? INFINITY : 0;
}

/*
 * `rank`: how many assignments, including the actual one, the level allows. Ties allow any change,
 * so they are outermost at both ends.
 */
static void set_ends(
	struct sprof_change *change, const struct bounds *bounds, size_t rank, bool relative)
{
	change->low = relative ? -1 : -INFINITY;
	change->high = INFINITY;
	if (rank <= bounds->ties || rank - bounds->ties > bounds->count)
		return;
	change->low = bounds->items[rank - bounds->ties - 1];
	change->high = bounds->items[bounds->count - (rank - bounds->ties)];
}

bool sprof_permutation_change(const struct sprof_runs sides[SPROF_SIDES], bool relative,
	double level, struct sprof_change *ret, struct sprof_error *err)
{
	struct sprof_change change = {
		.means = {mean_of(&sides[SPROF_SIDE_BASE]), mean_of(&sides[SPROF_SIDE_NEW])}};
	double count =
		sprof_permutation_count(sides[SPROF_SIDE_BASE].count, sides[SPROF_SIDE_NEW].count);
	struct bounds bounds = {0};

	change.change = change_of(change.means, relative);
	if (change.means[SPROF_SIDE_BASE] > 0 || change.means[SPROF_SIDE_NEW] > 0) {
		if (!collect(&bounds, sides, relative)) {
			free(bounds.items);
			return sprof_error_no_memory(err);
		}
		/* The product of a whole number and its inverse may be a little below 1. */
		set_ends(&change, &bounds, (size_t)(level * count + 1e-9), relative);
		free(bounds.items);
	}
	*ret = change;
	return true;
}
