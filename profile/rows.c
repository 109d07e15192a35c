/*
 * What a row belongs to and the row itself: processes, threads and contexts, each found by its key.
 * Knows nothing of stacks; which samples a row gets is profile.c's and build.c's matter.
 */
#include <assert.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/index.h"

static uint64_t place_of(const struct sprof_profile_index *index)
{
	return (uint64_t)(uintptr_t)index->host * 31 + (uint64_t)(uintptr_t)index->rank;
}

/* Another process may have got the pid since. */
static uint64_t key_of(const struct sprof_thread_record *record)
{
	return (uint64_t)record->process << 32 | (uint32_t)record->pid;
}

bool sprof_profile_has_process(
	const struct sprof_profile *profile, const struct sprof_thread_record *record)
{
	const struct sprof_profile_index *index = profile->index;

	return sprof_idmap_find(&index->processes, place_of(index), key_of(record)) !=
	       SPROF_IDMAP_NONE;
}

/* The process of a thread record, made when new; a new name replaces the old one (exec). */
bool sprof_profile_intern_process(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_process)
{
	struct sprof_profile_index *index = profile->index;
	uint64_t place = place_of(index);
	uint32_t id = sprof_idmap_find(&index->processes, place, key_of(record));
	bool is_new = id == SPROF_IDMAP_NONE;
	const char *name = record->process_name ? record->process_name : record->name;

	if (is_new) {
		id = (uint32_t)profile->process_count;
		if (!sprof_array_reserve(&profile->processes, &profile->process_capacity, id + 1,
			    sizeof(*profile->processes)) ||
			!sprof_idmap_put(&index->processes, place, key_of(record), id))
			return false;
	}
	if (is_new || record->process_name) {
		if (!sprof_profile_intern_text(profile, name, &name))
			return false;
		profile->processes[id] = (struct sprof_profile_process){.pid = record->pid,
			.name = name,
			.unnamed = !record->process_name,
			.host = index->host,
			.rank = index->rank};
	}
	if (is_new)
		profile->process_count++;
	*ret_process = id;
	return true;
}

/* Ids of the sampler may have gaps: threads gone too soon. */
bool sprof_profile_intern_thread(
	struct sprof_profile *profile, uint64_t high, uint64_t low, uint32_t *ret_thread)
{
	struct sprof_profile_index *index = profile->index;
	size_t count = profile->thread_count;
	uint32_t found = sprof_idmap_find(&index->threads, high, low);

	if (found == SPROF_IDMAP_NONE) {
		found = (uint32_t)count;
		if (!sprof_array_reserve(&profile->threads, &profile->thread_capacity, count + 1,
			    sizeof(*profile->threads)) ||
			!sprof_array_reserve(&index->windows, &index->window_capacity, count + 1,
				sizeof(*index->windows)) ||
			!sprof_idmap_put(&index->threads, high, low, found))
			return false;
		profile->threads[found].last_span = SPROF_PROFILE_NONE;
		profile->threads[found].name = ""; /* until it gets one, if there is memory for that */
		profile->thread_count++;
	}
	*ret_thread = found;
	return true;
}

bool sprof_profile_intern_context(struct sprof_profile *profile,
	const struct sprof_profile_context *context, uint32_t *ret_context)
{
	const uint64_t fields[] = {(uint64_t)context->state + 1,
		(uint64_t)(uintptr_t)context->syscall, (uint64_t)(uintptr_t)context->object,
		(uint64_t)(uintptr_t)context->holder, (uint64_t)(uintptr_t)context->holder_function,
		(uint64_t)(uintptr_t)context->labels,
		(uint64_t)context->kind << 32 | context->wait,
		(uint64_t)context->holding_thread << 32 | context->holding_stack};
	struct sprof_hash hash = sprof_hash_start(0);
	uint32_t id;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		sprof_hash_add(&hash, fields[i]);
	id = sprof_idmap_find(&profile->index->contexts, hash.high, hash.low);
	if (id == SPROF_IDMAP_NONE && context->holding_thread &&
		sprof_profile_is_full(profile->context_count, profile->index->bounds.contexts)) {
		struct sprof_profile_context alone = *context;

		alone.holding_thread = alone.holding_stack = 0;
		return sprof_profile_intern_context(profile, &alone, ret_context);
	}
	if (id == SPROF_IDMAP_NONE) {
		id = (uint32_t)profile->context_count;
		if (!sprof_array_reserve(&profile->contexts, &profile->context_capacity,
			    (size_t)id + 1, sizeof(*profile->contexts)) ||
			!sprof_idmap_put(&profile->index->contexts, hash.high, hash.low, id))
			return false;
		profile->contexts[profile->context_count++] = *context;
	}
	*ret_context = id;
	return true;
}

bool sprof_profile_intern_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint32_t *ret_row)
{
	uint64_t high = (uint64_t)row->thread << 32 | row->context;
	uint32_t id = sprof_idmap_find(&profile->index->rows, high, row->stack);

	assert(row->thread < profile->thread_count && row->stack < profile->stack_count &&
	       row->context < profile->context_count);
	if (id == SPROF_IDMAP_NONE) {
		id = (uint32_t)profile->row_count;
		if (!sprof_array_reserve(&profile->rows, &profile->row_capacity, (size_t)id + 1,
			    sizeof(*profile->rows)) ||
			!sprof_idmap_put(&profile->index->rows, high, row->stack, id))
			return false;
		profile->rows[profile->row_count++] = (struct sprof_profile_row){
			.thread = row->thread, .stack = row->stack, .context = row->context};
	}
	*ret_row = id;
	return true;
}
