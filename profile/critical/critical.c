/* Finds the path, folds its pieces into rows, and counts what ended the threads' sleeps. */
#include "profile/critical/critical.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "profile/critical/finder.h"
#include "profile/critical/replay.h"

static struct sprof_critical_row row_of(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack)
{
	const struct critical_charge *charge = critical_charge_of(finder, stack);
	struct sprof_critical_row row = {
		.function = SPROF_PROFILE_NONE,
		.caller = SPROF_PROFILE_NONE,
		.kernel = SPROF_PROFILE_NONE,
		.stack = stack,
		.kind = part->kind,
		.is_open = part->kind == SPROF_CRITICAL_SLEEP && part->is_open,
	};

	if (part->kind == SPROF_CRITICAL_QUEUE || part->kind == SPROF_CRITICAL_LOST)
		return row;
	row.thread = critical_name_of(finder, part->thread);
	row.waker = part->waker;
	if (row.waker == SPROF_WAKER_SPROF)
		return row;
	row.function = charge->function;
	row.caller = charge->caller;
	if (part->kind == SPROF_CRITICAL_RUN)
		return row;
	row.kernel = charge->kernel;
	if (part->waker == SPROF_WAKER_PROCESS || part->waker == SPROF_WAKER_KERNEL)
		row.by = finder->log->names[part->by];
	return row;
}

/* Its longest piece does not belong to it. */
static struct sprof_hash key_of(const struct sprof_critical_row *row)
{
	struct sprof_hash key = sprof_hash_start(0);

	sprof_hash_add_pointer(&key, row->thread);
	sprof_hash_add_pointer(&key, row->by);
	sprof_hash_add_pair(&key, row->function, row->caller);
	sprof_hash_add_pair(&key, row->kernel,
		(uint64_t)row->is_open << 16 | (uint64_t)row->kind << 8 | row->waker);
	return key;
}

/* Returns NULL if out of memory. */
static struct sprof_critical_row *find_row(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack)
{
	struct sprof_critical *result = finder->result;
	const struct sprof_critical_row row = row_of(finder, part, stack);
	const struct sprof_hash key = key_of(&row);
	uint32_t index = sprof_idmap_find(&finder->row_index, key.high, key.low);

	if (index != SPROF_IDMAP_NONE)
		return &result->rows[index];
	index = (uint32_t)result->row_count;
	if (SPROF_ARRAY_APPEND(result->rows, result->row_count, result->row_capacity, row) &&
		sprof_idmap_put(&finder->row_index, key.high, key.low, index))
		return &result->rows[index];
	finder->out_of_memory = true;
	return NULL;
}

static void add_stretch(struct critical_finder *finder, const struct sprof_critical_part *part,
	uint32_t stack, uint64_t ns, void *data)
{
	struct sprof_critical_row *row = find_row(finder, part, stack);
	const uint32_t group = critical_group_of(finder, part, stack);

	if (!row)
		return;
	if (critical_is_network(finder, part, stack))
		finder->result->network_ns += ns;
	row->ns += ns;
	row->pieces++;
	if (ns > row->longest_ns) {
		row->longest_ns = ns;
		row->stack = stack;
	}
	if (group != SPROF_CRITICAL_NO_GROUP)
		finder->groups[group].ns += ns;
}

static void add_piece(void *data, const struct sprof_critical_piece *piece)
{
	struct critical_finder *finder = data;
	struct sprof_critical *result = finder->result;
	const uint64_t ns = piece->to_ns - piece->from_ns;

	result->pieces++;
	result->broken += piece->is_broken;
	if (piece->part->kind == SPROF_CRITICAL_LOST)
		result->lost_ns += ns;
	if (piece->part->kind == SPROF_CRITICAL_SLEEP && !piece->part->is_open &&
		(piece->part->waker == SPROF_WAKER_UNKNOWN ||
			sprof_critical_has_waker(piece->part)))
		result->unwoken_ns += ns;
	if (ns)
		critical_for_each_stretch(
			finder, piece->part, piece->from_ns, piece->to_ns, add_stretch, NULL);
}

/* The name of what has ended a sleep; NULL: it has none. */
static const char *waker_name(
	const struct critical_finder *finder, const struct sprof_critical_part *part)
{
	if (part->waker == SPROF_WAKER_THREAD)
		return critical_name_of(finder, part->by);
	if (part->waker == SPROF_WAKER_PROCESS || part->waker == SPROF_WAKER_KERNEL)
		return finder->log->names[part->by];
	return NULL;
}

static bool add_waking(struct critical_finder *finder, size_t index)
{
	struct sprof_critical *result = finder->result;
	const struct sprof_critical_part *part = &finder->graph.parts[index];
	const struct sprof_critical_part *next = part + 1;
	const struct sprof_critical_wakings found = {
		.thread = critical_name_of(finder, part->thread),
		.waker = part->waker,
		.by = waker_name(finder, part),
	};
	const uint64_t by = (uintptr_t)found.by << 4 ^ found.waker;
	uint32_t at = sprof_idmap_find(&finder->waking_index, (uintptr_t)found.thread, by);
	struct sprof_critical_wakings *wakings;

	if (at == SPROF_IDMAP_NONE) {
		at = (uint32_t)result->waking_count;
		if (!SPROF_ARRAY_APPEND(result->wakings, result->waking_count,
			    result->waking_capacity, found) ||
			!sprof_idmap_put(&finder->waking_index, (uintptr_t)found.thread, by, at))
			return false;
	}
	wakings = &result->wakings[at];
	wakings->times++;
	wakings->slept_ns += part->end_ns - part->begin_ns;
	if (index + 1 < finder->graph.count && next->thread == part->thread &&
		next->kind == SPROF_CRITICAL_QUEUE)
		wakings->queued_ns += next->end_ns - next->begin_ns;
	return true;
}

static int compare_wakings(const void *left, const void *right)
{
	const struct sprof_critical_wakings *a = left, *b = right;

	return sprof_falling(a->slept_ns, b->slept_ns);
}

static bool find_wakings(struct critical_finder *finder)
{
	struct sprof_critical *result = finder->result;

	for (size_t i = 0; i < finder->graph.count; i++) {
		const struct sprof_critical_part *part = &finder->graph.parts[i];

		if (part->kind == SPROF_CRITICAL_SLEEP && !part->is_birth && !part->is_open &&
			!add_waking(finder, i))
			return false;
	}
	if (result->waking_count)
		qsort(result->wakings, result->waking_count, sizeof(*result->wakings),
			compare_wakings);
	return true;
}

static int compare_rows(const void *left, const void *right)
{
	const struct sprof_critical_row *a = left, *b = right;

	return sprof_falling(a->ns, b->ns);
}

static bool find_path(struct critical_finder *finder)
{
	struct sprof_critical *result = finder->result;
	struct sprof_critical_replay replay;
	const bool ok = sprof_critical_replay_run(&finder->graph, &finder->end, NULL, &replay);

	if (ok) {
		result->length_ns = sprof_minus(finder->end.time_ns, finder->graph.begin_ns);
		sprof_critical_walk(&finder->graph, &finder->end, &replay, add_piece, finder);
	}
	sprof_critical_replay_finish(&replay);
	if (result->row_count)
		qsort(result->rows, result->row_count, sizeof(*result->rows), compare_rows);
	return ok;
}

/* Whether the thread is of the process that the first one is of. */
static bool is_of_first(const struct critical_finder *finder, uint32_t id)
{
	const struct sprof_profile *profile = finder->profile;
	const uint32_t first = sprof_profile_thread_of(profile, 0);
	const uint32_t thread = sprof_profile_thread_of(profile, id);

	return first != SPROF_PROFILE_NONE && thread != SPROF_PROFILE_NONE &&
		profile->threads[first].process == profile->threads[thread].process;
}

/* If nothing is left of the first process, the path ends where any thread's does. */
static void find_end(struct critical_finder *finder)
{
	struct sprof_critical_end best = {.thread = SPROF_CRITICAL_NONE};

	finder->end = sprof_critical_end_of(&finder->graph, SPROF_CRITICAL_NONE);
	if (!finder->log->is_launched || is_of_first(finder, finder->end.thread))
		return;
	for (size_t i = 0; i < finder->graph.thread_count; i++) {
		const struct sprof_critical_end end =
			sprof_critical_end_of(&finder->graph, (uint32_t)i);

		if (is_of_first(finder, (uint32_t)i) && sprof_critical_is_later(&end, &best))
			best = end;
	}
	if (best.thread != SPROF_CRITICAL_NONE)
		finder->end = best;
}

/* A launched program waits at its first instruction until sprof is ready. */
static uint64_t begin_of(const struct sprof_critical_log *log)
{
	for (size_t i = 0; log->is_launched && !log->is_cut && i < log->moment_count; i++) {
		const struct sprof_moment *moment = &log->moments[i];

		if (moment->thread || moment->kind == SPROF_MOMENT_GAP)
			continue;
		return moment->kind == SPROF_MOMENT_WOKEN ? moment->time_ns : log->begin_ns;
	}
	return log->begin_ns;
}

static bool find_all(struct critical_finder *finder)
{
	const struct sprof_critical_log *log = finder->log;

	if (!sprof_critical_graph_build(
		    log->moments, log->moment_count, begin_of(log), log->end_ns, &finder->graph) ||
		!sprof_critical_places_build(log, &finder->graph, &finder->places))
		return false;
	finder->charges = calloc(finder->profile->stack_count + 1, sizeof(*finder->charges));
	if (!finder->charges)
		return false;
	find_end(finder);
	if (finder->end.thread == SPROF_CRITICAL_NONE)
		return true;
	return find_path(finder) && critical_find_savings(finder) && find_wakings(finder) &&
		!finder->out_of_memory;
}

bool sprof_critical_find(const struct sprof_profile *profile, const struct sprof_critical_log *log,
	struct sprof_critical *ret, struct sprof_error *err)
{
	struct critical_finder finder = {
		.profile = profile, .log = log, .result = ret, .left_out = SPROF_CRITICAL_NO_GROUP};
	bool ok;

	*ret = (struct sprof_critical){.is_cut = log->is_cut};
	ok = find_all(&finder);
	sprof_critical_graph_finish(&finder.graph);
	sprof_critical_places_finish(&finder.places);
	sprof_idmap_finish(&finder.row_index);
	sprof_idmap_finish(&finder.group_index);
	sprof_idmap_finish(&finder.waking_index);
	free(finder.groups);
	free(finder.charges);
	return ok || sprof_error_no_memory(err);
}

void sprof_critical_finish(struct sprof_critical *critical)
{
	free(critical->rows);
	free(critical->savings);
	free(critical->wakings);
	*critical = (struct sprof_critical){0};
}
