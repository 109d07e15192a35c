/*
 * Compares two profiles. Both are copied into one, so equal functions and stacks have the same
 * index on both sides, and any view can be split by threads.
 */
#include "profile/compare/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/edit/merge.h"
#include "profile/edit/run-order.h"
#include "profile/model/build.h"
#include "profile/model/index.h"
#include "profile/views/view.h"

/* Adds a run; runs share no threads. */
static bool add_run(
	struct sprof_profile *joined, const struct sprof_profile *run, struct sprof_error *err)
{
	sprof_idmap_finish(&joined->index->threads);
	if (!sprof_profile_add(joined, run, SPROF_IDENTITY_COMPARE, err))
		return false;
	joined->index->run++;
	joined->quality = run->quality;
	joined->span_count = joined->slice_ns = 0; /* runs have no common line of time */
	return true;
}

static int compare_runs(const void *one, const void *other)
{
	const struct sprof_profile *const *left = one, *const *right = other;
	const struct sprof_run_key keys[] = {sprof_run_key_of(*left), sprof_run_key_of(*right)};

	return sprof_run_order(&keys[0], &keys[1]);
}

/* The runs of each side in an order that doesn't depend on the one they are given in. */
static const struct sprof_profile **in_order(
	const struct sprof_profile *const runs[], const size_t counts[SPROF_SIDES])
{
	const size_t count = counts[SPROF_SIDE_BASE] + counts[SPROF_SIDE_NEW];
	const struct sprof_profile **ordered = calloc(count + 1, sizeof(*ordered));

	if (!ordered)
		return NULL;
	memcpy(ordered, runs, count * sizeof(*ordered));
	qsort(ordered, counts[SPROF_SIDE_BASE], sizeof(*ordered), compare_runs);
	qsort(ordered + counts[SPROF_SIDE_BASE], counts[SPROF_SIDE_NEW], sizeof(*ordered),
		compare_runs);
	return ordered;
}

/* A comparison is about the program of the new runs, and has their date. */
static bool take_head(struct sprof_profile *joined, const struct sprof_profile *run)
{
	joined->command = NULL;
	joined->start_realtime_ns = run->start_realtime_ns;
	return !run->command ||
		sprof_profile_describe(joined, run->command, run->start_realtime_ns);
}

static bool join(struct sprof_profile *joined, const struct sprof_profile *const runs[],
	const size_t counts[SPROF_SIDES], uint32_t *ret_base_threads, struct sprof_error *err)
{
	for (size_t i = 0; i < counts[SPROF_SIDE_BASE] + counts[SPROF_SIDE_NEW]; i++) {
		if (i == counts[SPROF_SIDE_BASE]) {
			*ret_base_threads = (uint32_t)joined->thread_count;
			if (!take_head(joined, runs[i]))
				return sprof_error_no_memory(err);
		}
		if (!add_run(joined, runs[i], err))
			return false;
		if (!joined->thread_count)
			return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"the first profile is empty: there is nothing to compare with");
	}
	return true;
}

bool sprof_profile_join(const struct sprof_profile *const runs[], const size_t counts[SPROF_SIDES],
	struct sprof_profile **ret, uint32_t *ret_base_threads, struct sprof_error *err)
{
	struct sprof_profile *joined = sprof_build_create();
	SPROF_AUTO_FREE const struct sprof_profile **ordered = in_order(runs, counts);

	if (!joined || !ordered || !join(joined, ordered, counts, ret_base_threads, err)) {
		sprof_profile_destroy(joined);
		return joined && ordered ? false : sprof_error_no_memory(err);
	}
	*ret = joined;
	return true;
}

/* The flat table of one side, into rows by function. */
static bool add_side(const struct sprof_profile *joined, struct sprof_view *view,
	uint32_t base_threads, enum sprof_side side, struct sprof_diff *diff,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *chosen = calloc(joined->thread_count + 1, sizeof(*chosen));
	struct sprof_flat flat;

	if (!chosen)
		return sprof_error_no_memory(err);
	for (uint32_t i = 0; i < joined->thread_count; i++)
		chosen[i] = sprof_side_of(i, base_threads) == side;
	view->chosen = chosen;
	if (!sprof_flat_build(joined, view, &flat, err))
		return false;
	for (size_t i = 0; i < flat.count; i++) {
		struct sprof_diff_row *row = &diff->rows[flat.rows[i].function];

		row->self[side] = sprof_metrics_get(&flat.rows[i].self, view->weight);
		row->total[side] = sprof_metrics_get(&flat.rows[i].total, view->weight);
	}
	diff->whole[side] = sprof_metrics_get(&flat.sum, view->weight);
	sprof_flat_finish(&flat);
	return true;
}

double sprof_diff_of(const struct sprof_diff *diff, const uint64_t sides[SPROF_SIDES])
{
	return (double)sides[SPROF_SIDE_NEW] * diff->scale[SPROF_SIDE_NEW] -
		(double)sides[SPROF_SIDE_BASE] * diff->scale[SPROF_SIDE_BASE];
}

struct order {
	const struct sprof_diff *diff;
	const struct sprof_profile *profile;
};

static int falling(double a, double b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	return (a < b) - (a > b);
}

static int compare(const void *left, const void *right, void *data)
{
	const struct sprof_diff_row *a = left, *b = right;
	const struct order *order = data;
	const struct sprof_profile_function *functions = order->profile->functions;
	int result =
		falling(sprof_diff_of(order->diff, a->self), sprof_diff_of(order->diff, b->self));

	if (!result)
		result = falling(
			sprof_diff_of(order->diff, a->total), sprof_diff_of(order->diff, b->total));
	if (!result)
		result = strcmp(functions[a->function].name, functions[b->function].name);
	return result ? result : (a->function > b->function) - (a->function < b->function);
}

/* Drops functions without a figure on either side, and sorts. */
static void settle(struct sprof_diff *diff, const struct sprof_profile *joined, bool absolute)
{
	const struct order order = {.diff = diff, .profile = joined};
	size_t count = 0;

	diff->scale[SPROF_SIDE_BASE] = diff->scale[SPROF_SIDE_NEW] = 1;
	if (!absolute && diff->whole[SPROF_SIDE_BASE])
		diff->scale[SPROF_SIDE_BASE] =
			(double)diff->whole[SPROF_SIDE_NEW] / (double)diff->whole[SPROF_SIDE_BASE];
	for (size_t i = 0; i < joined->function_count; i++) {
		diff->rows[i].function = (uint32_t)i;
		if (diff->rows[i].total[SPROF_SIDE_BASE] || diff->rows[i].total[SPROF_SIDE_NEW])
			diff->rows[count++] = diff->rows[i];
	}
	diff->count = count;
	qsort_r(diff->rows, count, sizeof(*diff->rows), compare, (void *)(uintptr_t)&order);
}

bool sprof_diff_build(const struct sprof_profile *joined, uint32_t base_threads,
	enum sprof_weight weight, bool absolute, struct sprof_diff *ret, struct sprof_error *err)
{
	struct sprof_view view = {.weight = weight, .thread = SPROF_PROFILE_NONE};
	struct sprof_diff diff = {.rows = calloc(joined->function_count + 1, sizeof(*diff.rows))};

	if (!diff.rows)
		return sprof_error_no_memory(err);
	if (!add_side(joined, &view, base_threads, SPROF_SIDE_BASE, &diff, err) ||
		!add_side(joined, &view, base_threads, SPROF_SIDE_NEW, &diff, err)) {
		sprof_diff_finish(&diff);
		return false;
	}
	settle(&diff, joined, absolute);
	*ret = diff;
	return true;
}

void sprof_diff_finish(struct sprof_diff *diff)
{
	free(diff->rows);
	*diff = (struct sprof_diff){0};
}
