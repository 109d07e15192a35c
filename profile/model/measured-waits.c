/*
 * Exact waits on their way into the rows: as further kinds of values, and as weights for
 * distributing the blocked time that the kernel has accounted. Does not determine their stacks.
 */
#include "profile/model/measured-waits.h"

#include <string.h>

#include "profile/model/index.h"
#include "profile/model/kinds.h"

/* Saved profiles have these names: they are an interface. */
static const struct sprof_kind kinds[] = {
	{"waits", "count", SPROF_FOLD_SUM},
	{"off_cpu", "nanoseconds", SPROF_FOLD_SUM},
	{"longest_wait", "nanoseconds", SPROF_FOLD_MAX},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

void sprof_profile_expect_waits(struct sprof_profile *profile)
{
	memcpy(profile->kinds.further, kinds, sizeof(kinds));
	profile->kinds.further_count = KINDS;
}

/* In another tool's file, the kinds may have other indices. */
static bool find_kind(const struct sprof_profile *profile, const char *name, size_t *ret)
{
	for (size_t i = 0; i < profile->kinds.further_count; i++) {
		if (strcmp(profile->kinds.further[i].name, name) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool sprof_profile_has_exact_waits(const struct sprof_profile *profile)
{
	struct sprof_exact_waits_of none;

	return sprof_profile_exact_waits(profile, 0, &none);
}

bool sprof_profile_exact_waits(
	const struct sprof_profile *profile, size_t row, struct sprof_exact_waits_of *ret)
{
	size_t found[KINDS];

	for (size_t i = 0; i < KINDS; i++) {
		if (!find_kind(profile, kinds[i].name, &found[i]))
			return false;
	}
	*ret = (struct sprof_exact_waits_of){
		sprof_profile_further(profile, row, found[0]),
		sprof_profile_further(profile, row, found[1]),
		sprof_profile_further(profile, row, found[2]),
	};
	return true;
}

bool sprof_profile_sink_waited(
	void *data, const struct sprof_sample *where, const struct sprof_waited *waited)
{
	struct sprof_profile *profile = data;
	/* Other kinds may follow. */
	const uint64_t values[SPROF_KINDS_MAX] = {waited->waits, waited->ns, waited->longest_ns};
	struct sprof_window_run run = {.ns = waited->ns, .state = where->state};
	uint32_t thread;

	if (!sprof_profile_find_thread(profile, where->thread, &thread) ||
		!sprof_profile_find_row(profile, where, thread, &run.row) ||
		!sprof_window_add(&profile->index->windows[thread], &run))
		return false;
	return !profile->kinds.further_count || sprof_profile_add_further(profile, run.row, values);
}
