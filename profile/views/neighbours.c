/*
 * Direct callers and callees. One walk over the rows serves all functions: each stack adds to one
 * caller and one callee of each function on it. graph.c has whole paths.
 */
#include "profile/views/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/interned.h"
#include "base/numbers.h"
#include "profile/model/expand.h"
#include "profile/model/match.h"

/* One function while the rows are walked. */
struct tally {
	struct sprof_neighbourhood sums;
	size_t last_row;  /* plus one; 0: never */
	size_t outermost; /* its index on the stack of that row */
	uint32_t calls;   /* on that stack */
	bool is_wanted;
};

struct walk {
	const struct sprof_profile *profile;
	struct tally *tallies; /* by function */
	struct sprof_neighbour *items;
	size_t count, capacity;
	struct sprof_idmap ids; /* (function, 2 * neighbour, 1 more for callees) */
};

/* What one row adds. */
struct share {
	uint64_t value;
	uint32_t innermost; /* function */
	size_t run;         /* how many frames of it follow each other, from the innermost on */
};

static bool add(struct walk *walk, const struct sprof_neighbour *edge, uint64_t value, bool is_self)
{
	const struct sprof_interned table =
		SPROF_INTERNED(&walk->ids, walk->items, walk->count, walk->capacity);
	uint32_t id;

	if (!sprof_intern(&table,
		    sprof_key(edge->of, (uint64_t)edge->function * 2 + edge->is_callee), edge, &id))
		return false;
	walk->items[id].value += value;
	walk->items[id].self += is_self ? value : 0;
	return true;
}

/* From the innermost frame outwards: the first occurrence of a function is its innermost call. */
static bool add_callees(struct walk *walk, const struct sprof_expansion *frames, size_t row,
	const struct share *share)
{
	for (size_t i = 0; i < frames->count; i++) {
		const uint32_t function = frames->frames[i]->function;
		struct tally *tally = &walk->tallies[function];

		if (!tally->is_wanted)
			continue;
		tally->outermost = i;
		if (tally->last_row == row + 1) {
			tally->calls++;
		} else {
			tally->last_row = row + 1;
			tally->calls = 1;
			tally->sums.total += share->value;
			if (i == 0)
				tally->sums.self += share->value;
			else if (!add(walk,
					 &(struct sprof_neighbour){.of = function,
						 .function = frames->frames[i - 1]->function,
						 .is_callee = true},
					 share->value, i <= share->run))
				return false;
		}
		if (tally->sums.depth < tally->calls)
			tally->sums.depth = tally->calls;
	}
	return true;
}

static bool add_callers(
	struct walk *walk, const struct sprof_expansion *frames, const struct share *share)
{
	for (size_t i = 0; i < frames->count; i++) {
		const uint32_t function = frames->frames[i]->function;
		struct tally *tally = &walk->tallies[function];

		if (!tally->is_wanted || tally->outermost != i)
			continue;
		if (i + 1 == frames->count) {
			tally->sums.root += share->value;
			tally->sums.root_self += function == share->innermost ? share->value : 0;
		} else if (!add(walk,
				   &(struct sprof_neighbour){.of = function,
					   .function = frames->frames[i + 1]->function},
				   share->value, function == share->innermost)) {
			return false;
		}
	}
	return true;
}

static size_t innermost_run(const struct sprof_expansion *frames)
{
	size_t run = 1;

	while (run < frames->count && frames->frames[run]->function == frames->frames[0]->function)
		run++;
	return run;
}

static bool add_rows(struct walk *walk, const struct sprof_view *view, uint64_t *ret_whole)
{
	const struct sprof_profile *profile = walk->profile;
	struct sprof_expansion frames = {0};
	uint64_t whole = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		struct share share = {.value = sprof_metrics_get(&row->metrics, view->weight)};

		if (!share.value || !sprof_view_takes(view, profile, i))
			continue;
		whole += share.value;
		ok = sprof_expansion_fill(&frames, profile, row->stack);
		if (!ok || !frames.count)
			continue;
		share.innermost = frames.frames[0]->function;
		share.run = innermost_run(&frames);
		ok = add_callees(walk, &frames, i, &share) && add_callers(walk, &frames, &share);
	}
	sprof_expansion_finish(&frames);
	*ret_whole = whole;
	return ok;
}

static bool choose(struct walk *walk, const char *pattern, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *wanted = NULL;

	if (pattern && !sprof_match_functions(walk->profile, pattern, &wanted, err))
		return false;
	for (size_t i = 0; i < walk->profile->function_count; i++)
		walk->tallies[i].is_wanted = !pattern || wanted[i];
	return true;
}

static int by_name(const struct sprof_profile *profile, uint32_t a, uint32_t b)
{
	int result = strcmp(profile->functions[a].name, profile->functions[b].name);

	return result ? result : sprof_falling(b, a);
}

static int compare_functions(const void *left, const void *right, void *profile)
{
	const struct sprof_neighbourhood *a = left, *b = right;
	int result = sprof_falling(a->total, b->total);

	return result ? result : by_name(profile, a->function, b->function);
}

static int compare_items(const void *left, const void *right, void *profile)
{
	const struct sprof_neighbour *a = left, *b = right;
	int result;

	if (a->of != b->of)
		return sprof_falling(b->of, a->of);
	if (a->is_callee != b->is_callee)
		return a->is_callee ? 1 : -1;
	result = sprof_falling(a->value, b->value);
	return result ? result : by_name(profile, a->function, b->function);
}

/* The items are sorted by function. */
static void lay_out(struct walk *walk, struct sprof_neighbours *neighbours)
{
	size_t next = 0;

	for (uint32_t i = 0; i < walk->profile->function_count; i++) {
		struct sprof_neighbourhood sums = walk->tallies[i].sums;

		if (!walk->tallies[i].last_row)
			continue;
		sums.function = i;
		sums.first = next;
		for (; next < walk->count && walk->items[next].of == i; next++) {
			sums.callers += !walk->items[next].is_callee;
			sums.callees += walk->items[next].is_callee;
		}
		neighbours->functions[neighbours->count++] = sums;
	}
}

bool sprof_neighbours_build(const struct sprof_profile *profile, const struct sprof_view *view,
	const char *pattern, struct sprof_neighbours *ret, struct sprof_error *err)
{
	SPROF_AUTO_FREE struct tally *tallies =
		calloc(profile->function_count + 1, sizeof(*tallies));
	struct walk walk = {.profile = profile, .tallies = tallies};
	struct sprof_neighbours neighbours = {
		.functions = calloc(profile->function_count + 1, sizeof(*neighbours.functions))};
	bool ok = (tallies && neighbours.functions) || sprof_error_no_memory(err);

	ok = ok && choose(&walk, pattern, err);
	ok = ok && (add_rows(&walk, view, &neighbours.whole) || sprof_error_no_memory(err));
	sprof_idmap_finish(&walk.ids);
	neighbours.items = walk.items;
	if (!ok) {
		sprof_neighbours_finish(&neighbours);
		return false;
	}
	if (walk.count)
		qsort_r(walk.items, walk.count, sizeof(*walk.items), compare_items,
			(void *)profile);
	lay_out(&walk, &neighbours);
	qsort_r(neighbours.functions, neighbours.count, sizeof(*neighbours.functions),
		compare_functions, (void *)profile);
	*ret = neighbours;
	return true;
}

void sprof_neighbours_finish(struct sprof_neighbours *neighbours)
{
	free(neighbours->functions);
	free(neighbours->items);
	*neighbours = (struct sprof_neighbours){0};
}
