/* The rows of each view of sprof top, made from a profile. Independent of the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attributes.h"
#include "base/error.h"
#include "output/top/table.h"
#include "profile/model/profile.h"

enum sprof_top_view {
	SPROF_TOP_FUNCTIONS,
	SPROF_TOP_THREADS,
	SPROF_TOP_WAITS,
	SPROF_TOP_TREE,
	SPROF_TOP_STACK,
	SPROF_TOP_VIEWS,
};

/* Which paths of the call tree are unfolded: down to a depth, except for toggled ones. */
struct sprof_top_folds {
	uint32_t open_depth;
	uint64_t *toggled; /* row ids */
	size_t count, capacity;
};

/* The data to show. */
struct sprof_top_shown {
	const struct sprof_profile *profile; /* of the window; named */
	const struct sprof_profile *latest;  /* the latest period, for current states; named */
	uint64_t duration_ns;                /* of the window: 100 % of a thread's time */
	const struct sprof_top_folds *folds;
	bool unfolds_all; /* ignore the folds, because a filter searches everything */
	uint64_t thread;  /* row id of the thread in the stack view */
};

/*
 * Fills an empty table; the caller finishes it, also after a failure. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_top_functions(const struct sprof_top_shown *shown,
	struct sprof_top_table *table, struct sprof_error *err);
SPROF_MUST_USE bool sprof_top_threads(const struct sprof_top_shown *shown,
	struct sprof_top_table *table, struct sprof_error *err);
SPROF_MUST_USE bool sprof_top_waits(const struct sprof_top_shown *shown,
	struct sprof_top_table *table, struct sprof_error *err);
SPROF_MUST_USE bool sprof_top_tree(const struct sprof_top_shown *shown,
	struct sprof_top_table *table, struct sprof_error *err);
SPROF_MUST_USE bool sprof_top_stack(const struct sprof_top_shown *shown,
	struct sprof_top_table *table, struct sprof_error *err);

/* Time that no sample explains: the lines about functions come first. */
static inline bool sprof_top_is_unsampled(const struct sprof_profile *profile, uint32_t function)
{
	return strcmp(profile->functions[function].name, SPROF_PROFILE_UNSAMPLED) == 0;
}

/* A share of a thread's time, in percent. */
double sprof_top_percent(const struct sprof_top_shown *shown, uint64_t ns);

/* The thread with this row id in the table of threads; SPROF_PROFILE_NONE: none. */
uint32_t sprof_top_find_thread(const struct sprof_profile *profile, uint64_t id);

/* The row of a thread's last sample; NULL: no sample. */
const struct sprof_profile_row *sprof_top_last_row(
	const struct sprof_profile *profile, uint32_t thread);
