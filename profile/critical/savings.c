/* Replays the run without the heaviest groups of the path, one after the other. */
#include <stdlib.h>

#include "base/array.h"
#include "base/numbers.h"
#include "profile/critical/finder.h"
#include "profile/critical/replay.h"

enum {
	SAVINGS = 6,
	LEAST_SHARE = 100, /* of the run: a smaller part is not worth a replay */
};

/* No group is left out, but waits for CPUs are, as in each replay. */
static const uint32_t nothing_else = SPROF_CRITICAL_NO_GROUP - 1;

static void keep_stretch(struct critical_finder *finder, const struct sprof_critical_part *part,
	uint32_t stack, uint64_t ns, void *data)
{
	uint64_t *kept = data;

	if (critical_group_of(finder, part, stack) != finder->left_out)
		*kept += ns;
}

static uint64_t kept(
	void *data, const struct sprof_critical_part *part, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0;

	if (from_ns < to_ns)
		critical_for_each_stretch(data, part, from_ns, to_ns, keep_stretch, &sum);
	return sum;
}

/* The time of groups on the path of a changed run, instead of the original one. */
struct changed {
	struct critical_finder *finder;
	uint64_t *sums; /* by group */
	size_t count;
};

static void add_changed_stretch(struct critical_finder *finder,
	const struct sprof_critical_part *part, uint32_t stack, uint64_t ns, void *data)
{
	const struct changed *changed = data;
	const uint32_t group = critical_group_of(finder, part, stack);

	if (group < changed->count && group != finder->left_out)
		changed->sums[group] += ns;
}

static void add_changed_piece(void *data, const struct sprof_critical_piece *piece)
{
	struct changed *changed = data;

	if (piece->from_ns < piece->to_ns && piece->part->kind != SPROF_CRITICAL_QUEUE)
		critical_for_each_stretch(changed->finder, piece->part, piece->from_ns,
			piece->to_ns, add_changed_stretch, changed);
}

/* Groups that only the changed path has come last, and are found by another walk. */
static void find_next(struct critical_finder *finder, const struct sprof_critical_replay *replay,
	struct sprof_critical_saving *saving)
{
	struct changed changed = {.finder = finder};

	for (size_t before = SIZE_MAX; before != finder->group_count;) {
		free(changed.sums);
		before = changed.count = finder->group_count;
		changed.sums = calloc(before + 1, sizeof(*changed.sums));
		if (!changed.sums) {
			finder->out_of_memory = true;
			return;
		}
		sprof_critical_walk(
			&finder->graph, &finder->end, replay, add_changed_piece, &changed);
	}
	saving->next_function = saving->next_caller = SPROF_PROFILE_NONE;
	for (size_t i = 0; i < changed.count; i++) {
		if (changed.sums[i] <= saving->next_ns)
			continue;
		saving->next_thread = finder->groups[i].thread;
		saving->next_function = finder->groups[i].function;
		saving->next_caller = finder->groups[i].caller;
		saving->next_ns = changed.sums[i];
	}
	free(changed.sums);
}

/* How long the run would take if no thread waited for a CPU. */
static bool find_free_length(struct critical_finder *finder, uint64_t *ret)
{
	const struct sprof_critical_change change = {kept, finder};
	struct sprof_critical_replay replay;
	bool ok;

	finder->left_out = nothing_else;
	ok = sprof_critical_replay_run(&finder->graph, &finder->end, &change, &replay);
	if (ok)
		*ret = replay.length_ns;
	sprof_critical_replay_finish(&replay);
	finder->left_out = SPROF_CRITICAL_NO_GROUP;
	return ok;
}

/* `free_ns`: the length without waits for CPUs. */
static bool try_without(struct critical_finder *finder, uint32_t group, uint64_t free_ns)
{
	const struct sprof_critical_change change = {kept, finder};
	struct sprof_critical *result = finder->result;
	struct sprof_critical_replay replay;
	struct sprof_critical_saving saving = {
		.thread = finder->groups[group].thread,
		.function = finder->groups[group].function,
		.caller = finder->groups[group].caller,
		.ns = finder->groups[group].ns,
	};
	bool ok;

	finder->left_out = group;
	ok = sprof_critical_replay_run(&finder->graph, &finder->end, &change, &replay);
	if (ok) {
		saving.length_ns = replay.length_ns;
		saving.saved_ns = sprof_minus(
			saving.function == SPROF_PROFILE_NONE ? result->length_ns : free_ns,
			replay.length_ns);
		find_next(finder, &replay, &saving);
		ok = SPROF_ARRAY_APPEND(
			result->savings, result->saving_count, result->saving_capacity, saving);
	}
	sprof_critical_replay_finish(&replay);
	finder->left_out = SPROF_CRITICAL_NO_GROUP;
	return ok;
}

static int compare_savings(const void *left, const void *right)
{
	const struct sprof_critical_saving *a = left, *b = right;

	return (a->saved_ns < b->saved_ns) - (a->saved_ns > b->saved_ns);
}

/* Without the heaviest groups of the path, one after the other. */
bool critical_find_savings(struct critical_finder *finder)
{
	struct sprof_critical *result = finder->result;
	const size_t count = finder->group_count;
	uint64_t free_ns = 0;

	/* What happened without records may have decided any other run. */
	if (result->lost_ns)
		return true;
	if (count && !find_free_length(finder, &free_ns))
		return false;
	while (result->saving_count < SAVINGS) {
		uint32_t heaviest = SPROF_CRITICAL_NO_GROUP;

		for (size_t i = 0; i < count; i++) {
			if (!finder->groups[i].is_tried &&
				(heaviest == SPROF_CRITICAL_NO_GROUP ||
					finder->groups[i].ns > finder->groups[heaviest].ns))
				heaviest = (uint32_t)i;
		}
		if (heaviest == SPROF_CRITICAL_NO_GROUP ||
			finder->groups[heaviest].ns < result->length_ns / LEAST_SHARE)
			break;
		finder->groups[heaviest].is_tried = true;
		if (!try_without(finder, heaviest, free_ns))
			return false;
	}
	if (result->saving_count)
		qsort(result->savings, result->saving_count, sizeof(*result->savings),
			compare_savings);
	return true;
}
