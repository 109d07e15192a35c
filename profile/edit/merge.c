/*
 * Merges: all rows of the source, and the sum of the quality figures. Fails if values can't be
 * added up, and names the differing kinds.
 */
#include "profile/edit/merge.h"

#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "profile/edit/copy.h"
#include "profile/model/index.h"
#include "profile/model/quality.h"

/* The clocks of two periods without a gap may differ by this much. */
static const uint64_t tolerance_ns = 20 * 1000 * 1000;

static void list_kinds(const struct sprof_profile *profile, char *text, size_t size)
{
	const struct sprof_kinds *kinds = &profile->kinds;
	size_t used = 0;

	text[0] = '\0';
	if (kinds->has_times)
		used = (size_t)snprintf(text, size, "samples, wall, user, sys, runq, wait, stolen");
	for (size_t i = 0; i < kinds->further_count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s/%s", used ? ", " : "",
			kinds->further[i].name, kinds->further[i].unit);
}

static bool check_kinds(const struct sprof_profile *target, const struct sprof_profile *source,
	struct sprof_error *err)
{
	char have[200], others[200];

	if (sprof_kinds_are_same(&target->kinds, &source->kinds))
		return true;
	list_kinds(target, have, sizeof(have));
	list_kinds(source, others, sizeof(others));
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"the profiles count different things: %s; and %s", have, others);
}

static bool copy_all(struct sprof_copy *copy, bool is_first)
{
	if ((is_first && (!sprof_copy_head(copy) || !sprof_copy_modules(copy))) ||
		!sprof_copy_comments(copy))
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

/* The earliest start, and the command only if all have the same. */
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

/* When the profile was taken; false: unknown. */
static bool time_of(const struct sprof_profile *profile, uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = profile->start_realtime_ns;
	*ret_end = profile->index->end_realtime_ns;
	if (!*ret_end)
		*ret_end = *ret_start + profile->quality.duration_ns;
	return *ret_start;
}

/* Parallel runs take as long as the longest one, others as long as all together. */
static uint64_t duration_of_both(
	const struct sprof_profile *target, const struct sprof_profile *source)
{
	uint64_t one = target->quality.duration_ns, other = source->quality.duration_ns;
	uint64_t starts[2], ends[2];

	if (time_of(target, &starts[0], &ends[0]) && time_of(source, &starts[1], &ends[1]) &&
		(starts[1] + tolerance_ns >= ends[0] || starts[0] + tolerance_ns >= ends[1]))
		return one + other;
	return one > other ? one : other;
}

/* Files may share processes and threads. Those seen but in no table are added up. */
static uint64_t hidden(uint64_t seen, size_t count)
{
	return sprof_minus(seen, count);
}

static void add_quality(struct sprof_profile *target, const struct sprof_profile *source,
	size_t processes_before, size_t threads_before)
{
	struct sprof_quality *sum = &target->quality;
	const struct sprof_quality *more = &source->quality;
	uint64_t duration = duration_of_both(target, source), start, end, last;
	uint64_t processes = hidden(sum->processes_seen, processes_before) +
		hidden(more->processes_seen, source->process_count);
	uint64_t threads = hidden(sum->threads_seen, threads_before) +
		hidden(more->threads_seen, source->thread_count);

	time_of(target, &start, &last);
	time_of(source, &start, &end);
	sprof_quality_add(sum, more);
	sum->duration_ns = duration;
	sum->processes_seen = target->process_count + processes;
	sum->threads_seen = target->thread_count + threads;
	target->index->end_realtime_ns = last > end ? last : end;
}

/* Which function gives its name to two that are one: the same in any order of the runs. */
static bool names_both(
	const struct sprof_profile_function *one, const struct sprof_profile_function *other)
{
	const int result = strcmp(one->name, other->name);

	return result ? result < 0 : strcmp(one->linkage, other->linkage) <= 0;
}

static bool join_two(struct sprof_profile *target, uint32_t one, uint32_t other)
{
	const struct sprof_profile_function *functions = target->functions;

	one = sprof_profile_joined_function(target, one);
	other = sprof_profile_joined_function(target, other);
	if (one == other)
		return true;
	return names_both(&functions[one], &functions[other])
		? sprof_idmap_put(&target->index->joined, 0, other, one)
		: sprof_idmap_put(&target->index->joined, 0, one, other);
}

/* Functions of earlier runs may turn out to be one. Returns false if out of memory. */
static bool join_functions(struct sprof_profile *target, const struct sprof_identity *identity)
{
	for (uint32_t i = 0; i < target->function_count; i++) {
		if (!join_two(target, i, identity->target_firsts[i]))
			return false;
	}
	for (size_t i = 0; i < target->line_count; i++)
		target->lines[i].function =
			sprof_profile_joined_function(target, target->lines[i].function);
	return true;
}

bool sprof_profile_add(struct sprof_profile *target, const struct sprof_profile *source,
	enum sprof_identity_how how, struct sprof_error *err)
{
	size_t processes = target->process_count, threads = target->thread_count;
	bool is_first = !threads, ok;
	struct sprof_copy copy;

	if (!is_first && !check_kinds(target, source, err))
		return false;
	ok = sprof_copy_init(&copy, target, source) &&
		sprof_identity_match(&copy.identity, target, source, how);
	ok = ok && join_functions(target, &copy.identity) && copy_all(&copy, is_first);
	if (ok) {
		add_quality(target, source, processes, threads);
		ok = settle_head(target, source, is_first);
	}
	sprof_copy_finish(&copy);
	if (!ok)
		return sprof_error_no_memory(err);
	target->index->locations_named = target->location_count;
	return true;
}

bool sprof_profile_merge(
	struct sprof_profile *target, const struct sprof_profile *source, struct sprof_error *err)
{
	return sprof_profile_add(target, source, SPROF_IDENTITY_MERGE, err);
}
