/* Aggregates by function. A kernel function is not informative ("[futex]"); its caller is. */
#include "profile/answer/program-functions.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/idmap.h"
#include "profile/classify/idle.h"

static int compare(const void *left, const void *right, void *data)
{
	const struct sprof_own_row *a = left, *b = right;
	const enum sprof_weight *weight = data;
	uint64_t one = sprof_metrics_get(&a->self, *weight),
		 other = sprof_metrics_get(&b->self, *weight);

	if (one != other)
		return one < other ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The time that a function spent in one that it called. */
struct part {
	uint32_t function, inner;
	uint64_t ns;
};

struct parts {
	struct part *items; /* one for each row of the profile, at most */
	size_t count;
	struct sprof_idmap by_pair; /* (function, inner) */
};

static bool add_part(struct parts *parts, const struct sprof_own_place *charge, uint64_t ns)
{
	uint32_t id;

	if (charge->inner == SPROF_PROFILE_NONE)
		return true;
	id = sprof_idmap_find(&parts->by_pair, charge->function, charge->inner);
	if (id == SPROF_IDMAP_NONE) {
		id = (uint32_t)parts->count;
		if (!sprof_idmap_put(&parts->by_pair, charge->function, charge->inner, id))
			return false;
		parts->items[parts->count++] =
			(struct part){.function = charge->function, .inner = charge->inner};
	}
	parts->items[id].ns += ns;
	return true;
}

static void choose_parts(const struct parts *parts, struct sprof_own_row *rows)
{
	for (size_t i = 0; i < parts->count; i++) {
		struct sprof_own_row *row = &rows[parts->items[i].function];

		if (parts->items[i].ns <= row->inner_ns)
			continue;
		row->inner = parts->items[i].inner;
		row->inner_ns = parts->items[i].ns;
	}
}

/* `rows`: by function. */
static bool add_rows(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_own_row *rows)
{
	SPROF_AUTO_FREE struct part *items = calloc(profile->row_count + 1, sizeof(*items));
	SPROF_AUTO_FREE bool *idle = sprof_profile_waits_for_work(profile);
	struct parts parts = {.items = items};
	bool ok = items && idle;

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const struct sprof_own_place charge = sprof_own_place_of(profile, row->stack);

		if (charge.function == SPROF_PROFILE_NONE || !sprof_view_takes(view, profile, i))
			continue;
		sprof_metrics_add(&rows[charge.function].self, &row->metrics);
		sprof_waiting_add(&rows[charge.function].waiting, profile, row, idle[i]);
		ok = add_part(&parts, &charge, sprof_metrics_get(&row->metrics, view->weight));
	}
	if (ok)
		choose_parts(&parts, rows);
	sprof_idmap_finish(&parts.by_pair);
	return ok;
}

bool sprof_own_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_own *ret, struct sprof_error *err)
{
	struct sprof_own_row *rows = calloc(profile->function_count + 1, sizeof(*rows));
	enum sprof_weight weight = view->weight;
	size_t count = 0;

	if (!rows || !add_rows(profile, view, rows)) {
		free(rows);
		return sprof_error_no_memory(err);
	}
	for (size_t i = 0; i < profile->function_count; i++) {
		if (!sprof_metrics_get(&rows[i].self, weight))
			continue;
		rows[count] = rows[i];
		if (!rows[count].inner_ns)
			rows[count].inner = SPROF_PROFILE_NONE;
		rows[count++].function = (uint32_t)i;
	}
	qsort_r(rows, count, sizeof(*rows), compare, &weight);
	*ret = (struct sprof_own){.rows = rows, .count = count};
	return true;
}

void sprof_own_finish(struct sprof_own *own)
{
	free(own->rows);
	*own = (struct sprof_own){0};
}
