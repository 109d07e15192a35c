/*
 * A gate's figures and results. Each run gives one figure per comparison: the weight of a function,
 * by name. Does not check whether runs are comparable (profile/compare/gate-runs.c), and has no
 * statistics (profile/compare/permutation.c).
 *
 * A function without samples in a run counts as 0. Functions of the same name count as one, in any
 * module, together with their clones (".isra.0"), which another build may not have.
 */
#include "profile/compare/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/glob.h"
#include "base/strings.h"
#include "profile/identity/identity.h"
#include "profile/model/expand.h"

/* One run while it is measured. */
struct measuring {
	struct sprof_gate *gate;
	const struct sprof_profile *profile;
	size_t run; /* its index */
	enum sprof_side side;
	uint32_t *rows;     /* the gate's rows by condition and function; NONE: not requested */
	uint32_t *last_row; /* of the profile: by row of the gate, plus one; 0: none */
	struct sprof_expansion frames;
};

bool sprof_gate_init(struct sprof_gate *ret, const struct sprof_gate_condition *conditions,
	size_t condition_count, const size_t expected[SPROF_SIDES], struct sprof_error *err)
{
	size_t runs = expected[SPROF_SIDE_BASE] + expected[SPROF_SIDE_NEW];

	*ret = (struct sprof_gate){
		.conditions = conditions,
		.condition_count = condition_count,
		.expected = {expected[SPROF_SIDE_BASE], expected[SPROF_SIDE_NEW]},
		.runs = calloc(runs + 1, sizeof(*ret->runs)),
	};
	return ret->runs || sprof_error_no_memory(err);
}

void sprof_gate_finish(struct sprof_gate *gate)
{
	for (size_t i = 0; i < gate->run_count; i++) {
		free(gate->runs[i].path);
		free(gate->runs[i].command);
	}
	for (size_t i = 0; i < gate->row_count; i++) {
		free(gate->rows[i].function);
		free(gate->rows[i].values);
	}
	free(gate->runs);
	free(gate->rows);
	*gate = (struct sprof_gate){0};
}

/* `function` NULL: the whole run. */
static struct sprof_gate_row *find_row(
	const struct sprof_gate *gate, size_t condition, const char *function)
{
	for (size_t i = 0; i < gate->row_count; i++) {
		struct sprof_gate_row *row = &gate->rows[i];

		if (row->condition == condition &&
			(!function || strcmp(row->function, function) == 0))
			return row;
	}
	return NULL;
}

static bool add_row(
	struct sprof_gate *gate, size_t condition, const char *function, struct sprof_error *err)
{
	size_t runs = gate->expected[SPROF_SIDE_BASE] + gate->expected[SPROF_SIDE_NEW];
	struct sprof_gate_row row = {.condition = condition};

	if (gate->row_count == SPROF_GATE_ROWS_MAX)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"the conditions ask for more than %d functions", SPROF_GATE_ROWS_MAX);
	if (!sprof_array_reserve(
		    &gate->rows, &gate->row_capacity, gate->row_count + 1, sizeof(row)))
		return sprof_error_no_memory(err);
	row.values = calloc(runs + 1, sizeof(*row.values));
	row.function = function ? strdup(function) : NULL;
	gate->rows[gate->row_count++] = row;
	return (row.values && (!function || row.function)) || sprof_error_no_memory(err);
}

/* The row for a function or the whole run; made if there is none. */
static bool get_row(struct measuring *measuring, size_t condition, const char *function,
	uint32_t *ret, struct sprof_error *err)
{
	struct sprof_gate *gate = measuring->gate;
	struct sprof_gate_row *row = find_row(gate, condition, function);

	if (!row) {
		if (!add_row(gate, condition, function, err))
			return false;
		row = &gate->rows[gate->row_count - 1];
	}
	row->is_in[measuring->side] = true;
	*ret = (uint32_t)(row - gate->rows);
	return true;
}

/* A name that contains brackets or asterisks also matches literally. */
static bool is_asked_for(const struct sprof_gate_condition *condition, const char *function)
{
	return strcmp(condition->function, function) == 0 ||
		sprof_glob_matches(condition->function, function);
}

/* Without ".isra.0", or " [clone .isra.0]". */
static void strip_clone(const char *name, char *ret, size_t size)
{
	char *suffix;

	sprof_identity_plain_name(name, SPROF_IDENTITY_ALL, ret, size);
	suffix = strstr(ret, " [clone .");
	if (suffix)
		*suffix = '\0';
}

static bool find_functions(struct measuring *measuring, struct sprof_error *err)
{
	const struct sprof_profile *profile = measuring->profile;
	const struct sprof_gate *gate = measuring->gate;

	for (size_t i = 0; i < gate->condition_count; i++) {
		uint32_t *rows = measuring->rows + i * (profile->function_count + 1);

		for (size_t j = 0; j < profile->function_count; j++) {
			const char *name = profile->functions[j].name;
			char plain[4096];

			strip_clone(name, plain, sizeof(plain));
			rows[j] = SPROF_PROFILE_NONE;
			if (gate->conditions[i].function[0] &&
				(is_asked_for(&gate->conditions[i], plain) ||
					is_asked_for(&gate->conditions[i], name)) &&
				!get_row(measuring, i, plain, &rows[j], err))
				return false;
		}
		if (!gate->conditions[i].function[0] &&
			!get_row(measuring, i, NULL, &rows[profile->function_count], err))
			return false;
	}
	return true;
}

static void count(struct measuring *measuring, uint32_t index, size_t profile_row)
{
	struct sprof_gate_row *row = &measuring->gate->rows[index];
	enum sprof_weight weight = measuring->gate->conditions[row->condition].weight;
	const struct sprof_metrics *metrics = &measuring->profile->rows[profile_row].metrics;

	if (measuring->last_row[index] == profile_row + 1)
		return;
	measuring->last_row[index] = (uint32_t)profile_row + 1;
	row->values[measuring->run] += (double)sprof_metrics_get(metrics, weight);
}

static void count_row(struct measuring *measuring, size_t profile_row)
{
	const struct sprof_gate *gate = measuring->gate;
	size_t functions = measuring->profile->function_count + 1;

	for (size_t i = 0; i < gate->condition_count; i++) {
		const uint32_t *rows = measuring->rows + i * functions;
		size_t depth = measuring->frames.count;

		if (!gate->conditions[i].function[0]) {
			count(measuring, rows[functions - 1], profile_row);
			continue;
		}
		if (gate->conditions[i].self && depth > 1)
			depth = 1;
		for (size_t j = 0; j < depth; j++) {
			uint32_t row = rows[measuring->frames.frames[j]->function];

			if (row != SPROF_PROFILE_NONE)
				count(measuring, row, profile_row);
		}
	}
}

static bool count_rows(struct measuring *measuring)
{
	const struct sprof_profile *profile = measuring->profile;

	measuring->last_row = calloc(measuring->gate->row_count + 1, sizeof(*measuring->last_row));
	if (!measuring->last_row)
		return false;
	for (size_t i = 0; i < profile->row_count; i++) {
		if (!sprof_expansion_fill(&measuring->frames, profile, profile->rows[i].stack))
			return false;
		count_row(measuring, i);
	}
	return true;
}

static bool measure(struct sprof_gate *gate, const struct sprof_profile *profile, size_t run,
	struct sprof_error *err)
{
	struct measuring measuring = {
		.gate = gate,
		.profile = profile,
		.run = run,
		.side = run < gate->expected[SPROF_SIDE_BASE] ? SPROF_SIDE_BASE : SPROF_SIDE_NEW,
		.rows = calloc(gate->condition_count * (profile->function_count + 1),
			sizeof(*measuring.rows)),
	};
	bool ok = measuring.rows || sprof_error_no_memory(err);

	ok = ok && find_functions(&measuring, err) &&
		(count_rows(&measuring) || sprof_error_no_memory(err));
	sprof_expansion_finish(&measuring.frames);
	free(measuring.rows);
	free(measuring.last_row);
	return ok;
}

bool sprof_gate_add(struct sprof_gate *gate, const struct sprof_profile *profile, const char *path,
	struct sprof_error *err)
{
	return sprof_gate_add_run(gate, profile, path, err) &&
		measure(gate, profile, gate->run_count - 1, err);
}

/* If only one side has a condition's function, it may have been renamed. */
static bool check_condition(
	const struct sprof_gate *gate, size_t condition, struct sprof_error *err)
{
	bool is_in[SPROF_SIDES] = {false};

	for (size_t i = 0; i < gate->row_count; i++) {
		if (gate->rows[i].condition != condition)
			continue;
		for (int side = 0; side < SPROF_SIDES; side++)
			is_in[side] |= gate->rows[i].is_in[side];
	}
	if (is_in[SPROF_SIDE_BASE] && is_in[SPROF_SIDE_NEW])
		return true;
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "%s: no run%s has %s",
		gate->conditions[condition].text,
		is_in[SPROF_SIDE_NEW]            ? " before"
			: is_in[SPROF_SIDE_BASE] ? " after"
						 : "",
		gate->conditions[condition].function[0] ? "such a function" : "any sample");
	return sprof_error_hint(err, "sprof report --full lists the functions of a profile");
}

/* The number of runs per side needed for this many comparisons, up to a sensible limit. */
static size_t runs_needed(size_t comparisons, double level)
{
	size_t runs = SPROF_GATE_RUNS_MIN;

	while (runs < 12 && level / (double)comparisons * sprof_permutation_count(runs, runs) < 1)
		runs++;
	return runs;
}

static bool check_power(const struct sprof_gate *gate, double level, struct sprof_error *err)
{
	size_t before = gate->expected[SPROF_SIDE_BASE], after = gate->expected[SPROF_SIDE_NEW];
	size_t rows = gate->row_count;

	if (level * sprof_permutation_count(before, after) >= (double)rows)
		return true;
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"%zu runs before and %zu after are too few for %zu comparison%s at a level of "
		"%.3g%%",
		before, after, rows, sprof_string_plural(rows), 100 * level);
	return sprof_error_hint(err,
		"record at least %zu runs of each, ask for fewer functions, or raise --level",
		runs_needed(rows, level));
}

static bool check_runs(const struct sprof_gate *gate, struct sprof_error *err)
{
	size_t before = gate->expected[SPROF_SIDE_BASE], after = gate->expected[SPROF_SIDE_NEW];

	if (before >= SPROF_GATE_RUNS_MIN && after >= SPROF_GATE_RUNS_MIN)
		return true;
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"%zu run%s before and %zu after: too few to compare a difference with the "
		"variation between runs",
		before, sprof_string_plural(before), after);
	return sprof_error_hint(err, "record at least %d runs of each", SPROF_GATE_RUNS_MIN);
}

static enum sprof_gate_result result_of(const struct sprof_change *change, double limit)
{
	if (change->low > limit)
		return SPROF_GATE_BEYOND;
	/* A figure that has not changed is within any limit, also within one of 0. */
	if (change->high < limit || (change->low >= 0 && change->high <= 0))
		return SPROF_GATE_WITHIN;
	return SPROF_GATE_UNCLEAR;
}

static bool judge_row(const struct sprof_gate *gate, struct sprof_gate_row *row, double level,
	struct sprof_error *err)
{
	const struct sprof_gate_condition *condition = &gate->conditions[row->condition];
	size_t before = gate->expected[SPROF_SIDE_BASE];
	const struct sprof_runs sides[SPROF_SIDES] = {
		{row->values, before},
		{row->values + before, gate->expected[SPROF_SIDE_NEW]},
	};

	if (!sprof_permutation_change(sides, condition->relative, level, &row->change, err))
		return false;
	row->result = result_of(&row->change, condition->limit);
	return true;
}

static int by_condition(const void *left, const void *right)
{
	const struct sprof_gate_row *a = left, *b = right;

	if (a->condition != b->condition)
		return a->condition < b->condition ? -1 : 1;
	return a->function && b->function ? strcmp(a->function, b->function) : 0;
}

bool sprof_gate_judge(struct sprof_gate *gate, double level, struct sprof_error *err)
{
	if (!check_runs(gate, err))
		return false;
	for (size_t i = 0; i < gate->condition_count; i++) {
		if (!check_condition(gate, i, err))
			return false;
	}
	if (!check_power(gate, level, err))
		return false;
	qsort(gate->rows, gate->row_count, sizeof(*gate->rows), by_condition);
	gate->level = level;
	for (size_t i = 0; i < gate->row_count; i++) {
		if (!judge_row(gate, &gate->rows[i], level / (double)gate->row_count, err))
			return false;
	}
	return true;
}

size_t sprof_gate_count(const struct sprof_gate *gate, enum sprof_gate_result result)
{
	size_t found = 0;

	for (size_t i = 0; i < gate->row_count; i++)
		found += gate->rows[i].result == result;
	return found;
}
