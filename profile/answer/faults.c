/* Finds the functions with most page faults. Counts one page per fault. */
#include "profile/answer/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/classify/boundaries.h"

static const struct sprof_kind kinds[SPROF_FAULTS_KINDS] = {
	[SPROF_FAULTS_ALL] = {"faults", "count", SPROF_FOLD_SUM},
	[SPROF_FAULTS_MAJOR] = {"major_faults", "count", SPROF_FOLD_SUM},
	[SPROF_FAULTS_TOUCHED] = {"touched", "bytes", SPROF_FOLD_SUM},
};

void sprof_faults_begin_profile(struct sprof_profile *profile)
{
	const size_t first = profile->kinds.further_count;

	memcpy(profile->kinds.further + first, kinds, sizeof(kinds));
	profile->kinds.further_count += SPROF_FAULTS_KINDS;
	profile->kinds.shown = (enum sprof_weight)(SPROF_WEIGHT_FURTHER + first);
}

bool sprof_faults_add(struct sprof_profile *profile, const struct sprof_faults_place *place,
	const uint64_t added[SPROF_FAULTS_KINDS])
{
	uint64_t values[SPROF_KINDS_MAX] = {0};
	const size_t first = profile->kinds.further_count - SPROF_FAULTS_KINDS;

	memcpy(values + first, added, SPROF_FAULTS_KINDS * sizeof(*added));
	return sprof_profile_add_values(profile, place->thread, place->stack, place->frame, values);
}

bool sprof_faults_has_kind(const char *name)
{
	for (size_t i = 0; i < SPROF_FAULTS_KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return true;
	}
	return false;
}

/* The index of the kind. Returns false if the profile lacks it. */
static bool find_kind(const struct sprof_profile *profile, enum sprof_faults_kind kind, size_t *ret)
{
	for (size_t i = 0; i < profile->kinds.further_count; i++) {
		if (strcmp(profile->kinds.further[i].name, kinds[kind].name) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* The innermost function of a stack that has one. */
static uint32_t function_of(const struct sprof_profile *profile, uint32_t stack)
{
	const uint32_t location = profile->stacks[stack].location;
	const struct sprof_profile_location *at;

	if (location == SPROF_PROFILE_NONE)
		return SPROF_PROFILE_NONE;
	at = &profile->locations[location];
	return at->line_count ? profile->lines[at->first_line].function : SPROF_PROFILE_NONE;
}

static bool is_unseen(const struct sprof_profile *profile, uint32_t function)
{
	return function != SPROF_PROFILE_NONE &&
		strcmp(profile->functions[function].name, SPROF_FAULTS_UNSEEN) == 0;
}

/*
 * The function that called the innermost one, or that it was inlined into. For a function of libc
 * the innermost one outside of libc, because that makes libc touch memory. NONE: libc called it, as
 * main.
 */
static uint32_t caller_of(const struct sprof_profile *profile, uint32_t stack)
{
	const uint32_t own = function_of(profile, stack);
	const bool leaves_libc = own != SPROF_PROFILE_NONE && sprof_profile_is_libc(profile, own);

	for (; profile->stacks[stack].location != SPROF_PROFILE_NONE;
		stack = profile->stacks[stack].parent) {
		const struct sprof_profile_location *at =
			&profile->locations[profile->stacks[stack].location];

		for (uint32_t i = 0; i < at->line_count; i++) {
			const uint32_t function = profile->lines[at->first_line + i].function;

			if (function == own)
				continue;
			if (!sprof_profile_is_libc(profile, function))
				return function;
			if (!leaves_libc)
				return SPROF_PROFILE_NONE;
		}
	}
	return SPROF_PROFILE_NONE;
}

static uint32_t largest(const uint64_t *sums, size_t count, uint64_t *ret_sum)
{
	uint32_t found = SPROF_PROFILE_NONE;

	*ret_sum = 0;
	for (size_t i = 0; i < count; i++) {
		if (sums[i] > *ret_sum) {
			*ret_sum = sums[i];
			found = (uint32_t)i;
		}
	}
	return found;
}

/* The sums of all faults by the function that `key` gives, of rows of one function or of all. */
static void sum_up(const struct sprof_profile *profile, size_t kind, uint32_t only,
	uint32_t (*key)(const struct sprof_profile *, uint32_t stack), uint64_t *sums)
{
	memset(sums, 0, profile->function_count * sizeof(*sums));
	for (size_t i = 0; i < profile->row_count; i++) {
		const uint32_t stack = profile->rows[i].stack;
		const uint32_t own = function_of(profile, stack), at = key(profile, stack);

		if (at != SPROF_PROFILE_NONE && !is_unseen(profile, own) &&
			(only == SPROF_PROFILE_NONE || only == own))
			sums[at] += sprof_profile_further(profile, i, kind);
	}
}

bool sprof_faults_find(const struct sprof_profile *profile, struct sprof_faults *ret)
{
	size_t at[SPROF_FAULTS_KINDS];
	SPROF_AUTO_FREE uint64_t *sums = NULL;

	*ret = (struct sprof_faults){.caller = SPROF_PROFILE_NONE};
	for (int i = 0; i < SPROF_FAULTS_KINDS; i++) {
		if (!find_kind(profile, (enum sprof_faults_kind)i, &at[i]))
			return false;
	}
	sums = calloc(profile->function_count + 1, sizeof(*sums));
	if (!sums)
		return false;
	for (size_t i = 0; i < profile->row_count; i++) {
		const uint64_t all = sprof_profile_further(profile, i, at[SPROF_FAULTS_ALL]);

		ret->all += all;
		ret->major += sprof_profile_further(profile, i, at[SPROF_FAULTS_MAJOR]);
		ret->touched += sprof_profile_further(profile, i, at[SPROF_FAULTS_TOUCHED]);
		if (is_unseen(profile, function_of(profile, profile->rows[i].stack)))
			ret->unseen += all;
	}
	sum_up(profile, at[SPROF_FAULTS_ALL], SPROF_PROFILE_NONE, function_of, sums);
	ret->function = largest(sums, profile->function_count, &ret->function_all);
	if (ret->function == SPROF_PROFILE_NONE)
		return true;
	sum_up(profile, at[SPROF_FAULTS_ALL], ret->function, caller_of, sums);
	ret->caller = largest(sums, profile->function_count, &ret->caller_all);
	return true;
}
