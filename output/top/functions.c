/*
 * The functions of sprof top: the time charged to each of the program's own functions, as in the
 * summary, split by class, and its total. The tree shows calls, and the functions of libraries.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "output/top/views.h"
#include "profile/classify/own-code.h"
#include "profile/classify/own-place.h"
#include "profile/views/view.h"

enum { CPU, SELF, TOTAL, USER, SYS, RUNQ, WAIT, NAME };

static const struct sprof_top_column columns[] = {
	[CPU] = {"CPU%", SPROF_TOP_PERCENT, 0, 0},
	[SELF] = {"SELF%", SPROF_TOP_PERCENT, 0, 7},
	[TOTAL] = {"TOTAL%", SPROF_TOP_PERCENT, 0, 6},
	[USER] = {"USER%", SPROF_TOP_PERCENT, 0, 3},
	[SYS] = {"SYS%", SPROF_TOP_PERCENT, 0, 4},
	[RUNQ] = {"RUNQ%", SPROF_TOP_PERCENT, 0, 2},
	[WAIT] = {"WAIT%", SPROF_TOP_PERCENT, 0, 5},
	[NAME] = {"FUNCTION", SPROF_TOP_FUNCTION, 0, 0},
};

double sprof_top_percent(const struct sprof_top_shown *shown, uint64_t ns)
{
	return sprof_percent(ns, shown->duration_ns);
}

/* A name may come from several modules. */
static uint64_t id_of(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	uint64_t hash = sprof_hash_bytes(function->name, strlen(function->name), SPROF_HASH_BASIS);

	if (function->module == SPROF_PROFILE_NONE)
		return hash;
	return hash ^
		sprof_hash_bytes(sprof_modules_get(profile->modules, function->module)->path,
			strlen(sprof_modules_get(profile->modules, function->module)->path),
			SPROF_HASH_BASIS);
}

static void fill(const struct sprof_top_shown *shown, const struct sprof_flat_row *flat,
	const struct sprof_times *self, struct sprof_top_row *row)
{
	const struct sprof_profile_function *function = &shown->profile->functions[flat->function];
	const uint64_t user = sprof_times_get(self, SPROF_WEIGHT_USER);
	const uint64_t sys = sprof_times_get(self, SPROF_WEIGHT_SYS);

	row->id = id_of(shown->profile, function);
	row->is_last = sprof_top_is_unsampled(shown->profile, flat->function);
	row->cells[CPU].number = sprof_top_percent(shown, user + sys);
	row->cells[SELF].number = sprof_top_percent(shown, sprof_times_wall(self));
	row->cells[TOTAL].number = sprof_top_percent(shown, sprof_times_wall(&flat->total.times));
	row->cells[USER].number = sprof_top_percent(shown, user);
	row->cells[SYS].number = sprof_top_percent(shown, sys);
	row->cells[RUNQ].number =
		sprof_top_percent(shown, sprof_times_get(self, SPROF_WEIGHT_RUNQ));
	row->cells[WAIT].number = sprof_top_percent(shown, sprof_times_wait(self));
	row->cells[NAME].text = function->name;
}

/* By function: the time charged to it. Returns NULL if out of memory. */
static struct sprof_times *charge(const struct sprof_profile *profile)
{
	struct sprof_times *times = calloc(profile->function_count + 1, sizeof(*times));

	for (size_t i = 0; times && i < profile->row_count; i++) {
		const uint32_t function =
			sprof_own_place_of(profile, profile->rows[i].stack).function;

		if (function != SPROF_PROFILE_NONE)
			sprof_times_add(&times[function], &profile->rows[i].metrics.times);
	}
	return times;
}

/* A library's function has a row only if no function of the program's called it. */
static bool is_shown(const struct sprof_profile *profile, const struct sprof_flat_row *flat,
	const struct sprof_times *charged)
{
	return sprof_times_wall(&charged[flat->function]) ||
		!sprof_profile_is_library(profile, flat->function);
}

bool sprof_top_functions(
	const struct sprof_top_shown *shown, struct sprof_top_table *table, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE};
	SPROF_AUTO_FREE struct sprof_times *charged = charge(shown->profile);
	struct sprof_flat flat;

	table->columns = columns;
	table->column_count = sizeof(columns) / sizeof(columns[0]);
	if (!charged)
		return sprof_error_no_memory(err);
	if (!sprof_flat_build(shown->profile, &view, &flat, err))
		return false;
	for (size_t i = 0; i < flat.count; i++) {
		const struct sprof_flat_row *of = &flat.rows[i];
		struct sprof_top_row *row =
			is_shown(shown->profile, of, charged) ? sprof_top_table_add(table) : NULL;

		if (row)
			fill(shown, of, &charged[of->function], row);
	}
	sprof_flat_finish(&flat);
	return !table->out_of_memory || sprof_error_no_memory(err);
}
