/*
 * Merges periods. Does not resolve names. Rows that were shown may be freed with the next period.
 */
#include "profile/edit/history.h"

#include <string.h>

#include "base/clock.h"
#include "profile/edit/merge.h"
#include "profile/model/build.h"

enum {
	/* restart above this limit: for programs that create threads for days */
	ALL_ROWS = 300 * 1000,
	ALL_SPANS = 100 * 1000, /* the timeline of a saved file ends there */
};

static uint64_t sum_of(const struct sprof_top_history *history, size_t first)
{
	uint64_t sum = 0;

	for (size_t i = first; i < history->count; i++)
		sum += history->periods[i]->quality.duration_ns;
	return sum;
}

/* Drops the oldest as long as the others are enough. */
static void drop_old(struct sprof_top_history *history)
{
	const uint64_t wanted = (uint64_t)SPROF_TOP_RECENT_S * SPROF_NS_PER_S;

	while (history->count > 1 &&
		(history->count == SPROF_TOP_PERIODS || sum_of(history, 1) >= wanted)) {
		sprof_profile_destroy(history->periods[0]);
		history->count--;
		memmove(history->periods, history->periods + 1,
			history->count * sizeof(history->periods[0]));
	}
}

static bool merge_into(
	struct sprof_profile **target, const struct sprof_profile *source, struct sprof_error *err)
{
	if (!*target)
		*target = sprof_build_create();
	if (!*target)
		return sprof_error_no_memory(err);
	return sprof_profile_merge(*target, source, err);
}

static bool merge_all(
	struct sprof_top_history *history, struct sprof_profile *period, struct sprof_error *err)
{
	const size_t spans = period->span_count;
	bool merged;

	if (history->all && history->all->row_count > ALL_ROWS) {
		sprof_profile_destroy(history->all);
		history->all = NULL;
		history->is_cut = true;
	}
	if (history->all && history->all->span_count > ALL_SPANS)
		period->span_count = 0;
	merged = merge_into(&history->all, period, err);
	period->span_count = spans;
	return merged;
}

bool sprof_top_history_add(
	struct sprof_top_history *history, struct sprof_profile *period, struct sprof_error *err)
{
	if (!period->quality.duration_ns && history->count) {
		sprof_profile_destroy(period);
		return true;
	}
	history->periods[history->count++] = period;
	sprof_profile_destroy(history->recent);
	history->recent = NULL;
	drop_old(history);
	return merge_all(history, period, err);
}

static bool merge_recent(struct sprof_top_history *history, struct sprof_error *err)
{
	for (size_t i = 0; i < history->count; i++) {
		if (!merge_into(&history->recent, history->periods[i], err))
			return false;
	}
	return true;
}

const struct sprof_profile *sprof_top_history_latest(const struct sprof_top_history *history)
{
	return history->count ? history->periods[history->count - 1] : NULL;
}

bool sprof_top_history_get(struct sprof_top_history *history, enum sprof_top_window window,
	const struct sprof_profile **ret, struct sprof_error *err)
{
	if (window == SPROF_TOP_RECENT && !history->recent && !merge_recent(history, err))
		return false;
	*ret = sprof_top_history_latest(history);
	if (window == SPROF_TOP_RECENT)
		*ret = history->recent;
	else if (window == SPROF_TOP_ALL)
		*ret = history->all;
	return true;
}

void sprof_top_history_finish(struct sprof_top_history *history)
{
	for (size_t i = 0; i < history->count; i++)
		sprof_profile_destroy(history->periods[i]);
	sprof_profile_destroy(history->recent);
	sprof_profile_destroy(history->all);
	*history = (struct sprof_top_history){0};
}
