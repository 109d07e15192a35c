/*
 * The flat table: each function's self and total figures.
 *
 * Rows are visited thread by thread, so "number of threads" and "once per stack" only need the last
 * thread and the last row that touched the function.
 */
#include "base/numbers.h"
#include "profile/model/by-thread.h"
#include "profile/views/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/classify/idle.h"
#include "profile/model/expand.h"
#include "profile/model/objects.h"

/* One function while the table is built. */
struct tally {
	struct sprof_flat_row row;
	uint32_t last_row, last_thread; /* plus one; 0: never */
};

static void count_row(struct tally *tallies, const struct sprof_profile *profile, uint32_t index,
	const struct sprof_expansion *frames, bool is_idle)
{
	const struct sprof_profile_row *row = &profile->rows[index];
	struct sprof_waiting waiting = {0};

	sprof_waiting_add(&waiting, profile, row, is_idle);
	for (size_t i = 0; i < frames->count; i++) {
		struct tally *tally = &tallies[frames->frames[i]->function];

		if (i == 0)
			sprof_metrics_add(&tally->row.self, &row->metrics);
		if (tally->last_row == index + 1)
			continue;
		tally->last_row = index + 1;
		sprof_metrics_add(&tally->row.total, &row->metrics);
		tally->row.waiting.io_ns += waiting.io_ns;
		tally->row.waiting.lock_ns += waiting.lock_ns;
		tally->row.waiting.idle_ns += waiting.idle_ns;
		/* An estimate doesn't say which threads were there. */
		if (profile->contexts[row->context].estimate)
			continue;
		tally->row.threads += tally->last_thread != row->thread + 1;
		tally->last_thread = row->thread + 1;
	}
}

static bool count_rows(struct tally *tallies, const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_metrics *sum)
{
	struct sprof_expansion frames = {0};
	struct sprof_by_thread order = {0};
	SPROF_AUTO_FREE bool *idle = sprof_profile_waits_for_work(profile);
	bool ok = idle && sprof_by_thread_build(profile, &order);

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const uint32_t index = order.rows[i];
		const struct sprof_profile_row *row = &profile->rows[index];

		if (!sprof_view_takes(view, profile, index))
			continue;
		ok = sprof_expansion_fill(&frames, profile, row->stack);
		if (ok)
			count_row(tallies, profile, index, &frames, idle[index]);
		sprof_metrics_add(sum, &row->metrics);
	}
	sprof_by_thread_finish(&order);
	sprof_expansion_finish(&frames);
	return ok;
}

struct order {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	bool by_total;
	struct sprof_column_order columns; /* compared first */
};

static int compare(const void *left, const void *right, void *data)
{
	const struct sprof_flat_row *a = left, *b = right;
	const struct order *order = data;
	const struct sprof_profile_function *functions = order->profile->functions;
	int result = order->columns.keys ? sprof_column_compare(&order->columns, a, b) : 0;

	if (!result && !order->by_total)
		result = sprof_falling(sprof_metrics_get(&a->self, order->weight),
			sprof_metrics_get(&b->self, order->weight));
	if (!result)
		result = sprof_falling(sprof_metrics_get(&a->total, order->weight),
			sprof_metrics_get(&b->total, order->weight));
	if (!result)
		result = sprof_falling(sprof_metrics_get(&a->self, order->weight),
			sprof_metrics_get(&b->self, order->weight));
	if (!result)
		result = strcmp(functions[a->function].name, functions[b->function].name);
	return result ? result : sprof_falling(b->function, a->function);
}

static bool sort_rows(
	const struct sprof_profile *profile, const struct sprof_view *view, struct sprof_flat *flat)
{
	const bool needs_objects =
		view->sort && sprof_column_list_has(view->sort, SPROF_COLUMN_OBJECT);
	SPROF_AUTO_FREE const char **objects = needs_objects ? sprof_objects_names(profile) : NULL;
	struct order order = {
		.profile = profile,
		.weight = view->weight,
		.by_total = view->by_total,
		.columns = {profile, objects, view->weight, view->sort},
	};

	if (needs_objects && !objects)
		return false;
	qsort_r(flat->rows, flat->count, sizeof(*flat->rows), compare, &order);
	return true;
}

bool sprof_flat_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_flat *ret, struct sprof_error *err)
{
	SPROF_AUTO_FREE struct tally *tallies =
		calloc(profile->function_count + 1, sizeof(*tallies));
	struct sprof_flat flat = {0};

	flat.rows = calloc(profile->function_count + 1, sizeof(*flat.rows));
	if (!tallies || !flat.rows || !count_rows(tallies, profile, view, &flat.sum)) {
		sprof_flat_finish(&flat);
		return sprof_error_no_memory(err);
	}
	for (size_t i = 0; i < profile->function_count; i++) {
		if (!tallies[i].last_row)
			continue;
		tallies[i].row.function = (uint32_t)i;
		flat.rows[flat.count++] = tallies[i].row;
	}
	if (!sort_rows(profile, view, &flat)) {
		sprof_flat_finish(&flat);
		return sprof_error_no_memory(err);
	}
	*ret = flat;
	return true;
}

void sprof_flat_finish(struct sprof_flat *flat)
{
	free(flat->rows);
	*flat = (struct sprof_flat){0};
}
