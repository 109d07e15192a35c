/*
 * Suggests how to get names for code that has none, if that is a noticeable part of the answer: the
 * package with the debug file, or the option that makes a virtual machine write its names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/summary/summary.h"
#include "profile/classify/own-place.h"
#include "profile/model/stack-lines.h"
#include "profile/names/resolve.h"

/* least percentage of the shown time that is worth a line */
static const double least = 10;

/*
 * The module without names that the stack ends in; for generated code, one that the stack goes
 * through.
 */
static uint32_t nameless_module(const struct sprof_profile *profile, uint32_t stack)
{
	const uint32_t charged = sprof_own_place_of(profile, stack).function;
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;

	if (charged != SPROF_PROFILE_NONE && profile->functions[charged].unresolved)
		return profile->functions[charged].module;
	while ((line = sprof_stack_lines_next(profile, &at))) {
		const struct sprof_profile_function *function = &profile->functions[line->function];

		if (function->unresolved && function->module != SPROF_PROFILE_NONE &&
			sprof_modules_get(profile->modules, function->module)->path[0] == '[')
			return function->module;
	}
	return SPROF_PROFILE_NONE;
}

/*
 * The module with the most nameless time, if that is enough; NONE: there is none. Returns false if
 * out of memory.
 */
static bool find_module(const struct sprof_summary *summary, uint32_t *ret)
{
	const struct sprof_profile *profile = summary->profile;
	SPROF_AUTO_FREE uint64_t *times = calloc(profile->module_count + 1, sizeof(*times));
	uint32_t found = SPROF_PROFILE_NONE;

	for (size_t i = 0; times && i < profile->row_count; i++) {
		const uint64_t ns = sprof_times_wall(&profile->rows[i].metrics.times);
		uint32_t module;

		if (!ns || !sprof_view_takes(&summary->view, profile, i))
			continue;
		module = nameless_module(profile, profile->rows[i].stack);
		if (module == SPROF_PROFILE_NONE || module >= profile->module_count)
			continue;
		times[module] += ns;
		if (found == SPROF_PROFILE_NONE || times[module] > times[found])
			found = module;
	}
	*ret = found != SPROF_PROFILE_NONE && sprof_percent(times[found], summary->whole) >= least
		? found
		: SPROF_PROFILE_NONE;
	return times;
}

bool sprof_summary_find_remedy(struct sprof_summary *summary)
{
	const struct sprof_profile *profile = summary->profile;
	uint32_t module = SPROF_PROFILE_NONE;
	struct sprof_module_called called;

	/* Idle code needs no names. */
	if (profile->modules && summary->answer.mattering && !find_module(summary, &module))
		return false;
	if (module == SPROF_PROFILE_NONE || !profile->module_facts[module].gap_help)
		return true;
	summary->remedy = sprof_string_print("names for %s: %s",
		sprof_profile_module_called(profile, module, &called),
		profile->module_facts[module].gap_help);
	return summary->remedy;
}
