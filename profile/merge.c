/*
 * Merging: all rows of the source, and the sum of the quality figures. Refuses what can't be added
 * up, and says which kinds of values differ.
 */
#include "profile/merge.h"

#include <stdio.h>
#include <string.h>

#include "profile/copy.h"
#include "profile/index.h"
#include "profile/quality.h"

static void list_kinds(const struct sprof_profile *profile, char *text, size_t size)
{
	const struct sprof_profile_foreign *foreign = &profile->foreign;
	size_t used = 0;

	if (!foreign->kind_count) {
		snprintf(text, size, "samples, wall, user, sys, runq, wait, stolen");
		return;
	}
	text[0] = '\0';
	for (size_t i = 0; i < foreign->kind_count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s/%s", i ? ", " : "",
			foreign->kinds[i].type, foreign->kinds[i].unit);
}

static bool is_same_kind(const struct sprof_profile_kind *a, const struct sprof_profile_kind *b)
{
	return strcmp(a->type, b->type) == 0 && strcmp(a->unit, b->unit) == 0;
}

static bool check_kinds(const struct sprof_profile *target, const struct sprof_profile *source,
	struct sprof_error *err)
{
	const struct sprof_profile_foreign *a = &target->foreign, *b = &source->foreign;
	bool same = a->kind_count == b->kind_count && a->chosen == b->chosen;
	char have[200], others[200];

	for (size_t i = 0; same && i < a->kind_count; i++)
		same = is_same_kind(&a->kinds[i], &b->kinds[i]);
	if (same)
		return true;
	list_kinds(target, have, sizeof(have));
	list_kinds(source, others, sizeof(others));
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"the profiles count different things: %s; and %s", have, others);
}

static bool copy_all(struct sprof_copy *copy, bool is_first)
{
	if ((is_first && !sprof_copy_head(copy)) || !sprof_copy_comments(copy))
		return false;
	for (size_t i = 0; i < copy->source->thread_count; i++) {
		if (!sprof_copy_thread(copy, (uint32_t)i))
			return false;
	}
	for (size_t i = 0; i < copy->source->row_count; i++) {
		if (!sprof_copy_row(copy, i))
			return false;
	}
	return sprof_copy_spans(copy);
}

/* The earliest start, and a command only if it is everyone's. */
static bool settle_head(
	struct sprof_profile *target, const struct sprof_profile *source, bool is_first)
{
	uint64_t start = target->start_realtime_ns;
	char several[64];

	if (is_first)
		return true;
	if (!start || (source->start_realtime_ns && source->start_realtime_ns < start))
		start = source->start_realtime_ns;
	target->start_realtime_ns = start;
	if (!target->command || !source->command || !strcmp(target->command, source->command))
		return true;
	snprintf(several, sizeof(several), "several programs");
	return sprof_profile_describe(target, several, start);
}

bool sprof_profile_merge(struct sprof_profile *target, const struct sprof_profile *source,
	struct sprof_error *err)
{
	bool is_first = !target->thread_count, ok;
	struct sprof_copy copy;

	if (!is_first && !check_kinds(target, source, err))
		return false;
	ok = sprof_copy_init(&copy, target, source) && copy_all(&copy, is_first) &&
	     settle_head(target, source, is_first);
	sprof_copy_finish(&copy);
	if (!ok)
		return sprof_error_no_memory(err);
	sprof_quality_add(&target->quality, &source->quality);
	target->index->locations_named = target->location_count;
	return true;
}
