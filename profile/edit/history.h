/* The profiles of sprof top: the latest periods one by one, and all of them merged. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

enum {
	SPROF_TOP_RECENT_S = 10,
	SPROF_TOP_PERIODS = 32, /* number of periods kept for the recent window */
};

/* The time that figures cover. */
enum sprof_top_window {
	SPROF_TOP_LAST,   /* the last period */
	SPROF_TOP_RECENT, /* the last SPROF_TOP_RECENT_S seconds */
	SPROF_TOP_ALL,    /* since the start */
	SPROF_TOP_WINDOWS,
};

/* Zeroed is empty and valid. */
struct sprof_top_history {
	struct sprof_profile *periods[SPROF_TOP_PERIODS]; /* named; latest last */
	size_t count;
	struct sprof_profile *recent; /* merged from the periods; NULL: not yet */
	struct sprof_profile *all;
	bool is_cut; /* `all` was restarted, because it was too large */
};

/*
 * Takes a named profile of the time since the previous one; drops a period without time. Returns
 * false if out of memory.
 */
SPROF_MUST_USE bool sprof_top_history_add(
	struct sprof_top_history *history, struct sprof_profile *period, struct sprof_error *err);

/* The profile of a window, valid until the next add; NULL: no period yet. */
SPROF_MUST_USE bool sprof_top_history_get(struct sprof_top_history *history,
	enum sprof_top_window window, const struct sprof_profile **ret, struct sprof_error *err);

/* The latest period; NULL: none yet. */
const struct sprof_profile *sprof_top_history_latest(const struct sprof_top_history *history);

void sprof_top_history_finish(struct sprof_top_history *history);
