/*
 * Counts unresolved frames per module. A sample with several such frames of a module counts once,
 * so a module's share is the share of affected stacks.
 */
#include "profile/names/gaps.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "profile/model/build.h"

/* A module being counted; index is the module's. */
struct tally {
	struct sprof_gap gap;
	size_t last_row; /* the last row counted, plus one */
};

static bool is_unresolved(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	if (!location->line_count || location->frame.module == SPROF_PROFILE_NONE)
		return false;
	return profile->functions[sprof_profile_owner(profile, location)].unresolved;
}

/* Makes room for the module's facts. */
static struct sprof_profile_module *facts_of(struct sprof_profile *profile, uint32_t module)
{
	if (!sprof_array_reserve(&profile->module_facts, &profile->module_capacity,
		    (size_t)module + 1, sizeof(*profile->module_facts)))
		return NULL;
	if (profile->module_count <= module)
		profile->module_count = (size_t)module + 1;
	return &profile->module_facts[module];
}

static bool explain_module(struct sprof_profile *profile, struct sprof_symbols *symbols,
	uint32_t module, struct sprof_error *err)
{
	struct sprof_profile_module *facts = facts_of(profile, module);
	struct sprof_symbols_gap gap;

	if (!facts)
		return sprof_error_no_memory(err);
	if (facts->gap_why)
		return true;
	if (!sprof_symbols_explain(symbols, module, &gap, err))
		return false;
	return (sprof_build_text(profile, gap.why, &facts->gap_why) &&
		       sprof_build_text(
			       profile, gap.help[0] ? gap.help : NULL, &facts->gap_help)) ||
		sprof_error_no_memory(err);
}

/*
 * The module under which a place's row appears: of all processes with a runtime, the first one's.
 */
static uint32_t shown_module(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	return profile->functions[sprof_profile_owner(profile, location)].module;
}

/*
 * A remedy may name a process, so it has to be that of a process with such places; one with a perf
 * map has none.
 */
static bool share_gap(struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	const uint32_t module = location->frame.module;
	struct sprof_profile_module *shown = facts_of(profile, shown_module(profile, location));

	if (shown && !shown->gap_help) {
		shown->gap_why = profile->module_facts[module].gap_why;
		shown->gap_help = profile->module_facts[module].gap_help;
	}
	return shown;
}

bool sprof_profile_explain(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];

		if (is_unresolved(profile, location) &&
			!explain_module(profile, symbols, location->frame.module, err))
			return false;
	}
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];

		if (is_unresolved(profile, location) && !share_gap(profile, location))
			return sprof_error_no_memory(err);
	}
	return true;
}

static void count_row(const struct sprof_profile *profile, size_t row, struct tally *tallies)
{
	uint64_t samples = profile->rows[row].metrics.samples;
	uint32_t stack = profile->rows[row].stack;

	for (; stack != SPROF_PROFILE_ROOT; stack = profile->stacks[stack].parent) {
		const struct sprof_profile_location *location =
			&profile->locations[profile->stacks[stack].location];
		struct tally *tally;

		if (!is_unresolved(profile, location))
			continue;
		tally = &tallies[shown_module(profile, location)];
		if (tally->last_row != row + 1)
			tally->gap.samples += samples;
		tally->last_row = row + 1;
	}
}

static void count_all(
	const struct sprof_profile *profile, struct tally *tallies, uint64_t *ret_samples)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct sprof_profile_location *location = &profile->locations[i];

		if (is_unresolved(profile, location))
			tallies[shown_module(profile, location)].gap.addresses++;
	}
	for (size_t i = 0; i < profile->row_count; i++) {
		*ret_samples += profile->rows[i].metrics.samples;
		count_row(profile, i, tallies);
	}
}

static int compare(const void *left, const void *right)
{
	const struct sprof_gap *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->module > b->module) - (a->module < b->module);
}

bool sprof_gaps_build(
	const struct sprof_profile *profile, struct sprof_gaps *ret, struct sprof_error *err)
{
	size_t modules = sprof_modules_count(profile->modules);
	SPROF_AUTO_FREE struct tally *tallies = calloc(modules + 1, sizeof(*tallies));

	*ret = (struct sprof_gaps){.items = calloc(modules + 1, sizeof(*ret->items))};
	if (!tallies || !ret->items) {
		sprof_gaps_finish(ret);
		return sprof_error_no_memory(err);
	}
	count_all(profile, tallies, &ret->all_samples);
	for (size_t i = 0; i < modules; i++) {
		const struct sprof_profile_module *facts;

		if (!tallies[i].gap.addresses)
			continue;
		tallies[i].gap.module = (uint32_t)i;
		facts = sprof_profile_module_facts(profile, (uint32_t)i);
		tallies[i].gap.why = facts->gap_why;
		tallies[i].gap.help = facts->gap_help;
		ret->items[ret->count++] = tallies[i].gap;
	}
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare);
	return true;
}

void sprof_gaps_finish(struct sprof_gaps *gaps)
{
	free(gaps->items);
	*gaps = (struct sprof_gaps){0};
}
