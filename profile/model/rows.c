/*
 * Rows and their owners: processes, threads and contexts, each found by its key. Does not handle
 * stacks, or choose a sample's row: profile.c and profile/model/build.c do.
 */
#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strings.h"
#include "profile/model/attributes.h"
#include "profile/model/index.h"

bool sprof_profile_set_place(struct sprof_profile *profile, const char *host, const char *rank)
{
	struct sprof_profile_index *index = profile->index;

	return sprof_strtab_copy(index->strings, host, &index->host) &&
		sprof_strtab_copy(index->strings, rank, &index->rank);
}

static uint64_t place_of(const struct sprof_profile_index *index)
{
	return (uint64_t)(uintptr_t)index->host * 31 + (uint64_t)(uintptr_t)index->rank;
}

/* Another process may have reused the pid. */
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

/* The process of a thread record, created if new; a new name replaces the old one (exec). */
bool sprof_profile_intern_process(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_process)
{
	struct sprof_profile_index *index = profile->index;
	const struct sprof_interned processes = SPROF_INTERNED(&index->processes,
		profile->processes, profile->process_count, profile->process_capacity);
	const char *name = record->process_name ? record->process_name : record->name;
	struct sprof_profile_process process = {.pid = record->pid,
		.unnamed = !record->process_name,
		.host = index->host,
		.rank = index->rank};

	if (!record->process_name && sprof_profile_has_process(profile, record))
		name = "";
	if (!sprof_profile_intern_text(profile, name, &process.name) ||
		!sprof_intern(&processes, sprof_key(place_of(index), key_of(record)), &process,
			ret_process))
		return false;
	if (record->process_name)
		profile->processes[*ret_process] = process;
	return true;
}

/* The sampler's ids may have gaps: threads that ended too soon. */
bool sprof_profile_intern_thread(
	struct sprof_profile *profile, uint64_t high, uint64_t low, uint32_t *ret_thread)
{
	struct sprof_profile_index *index = profile->index;
	const struct sprof_interned threads = SPROF_INTERNED(
		&index->threads, profile->threads, profile->thread_count, profile->thread_capacity);
	const struct sprof_profile_thread thread = {
		.name = "", /* until it gets a name, if there is memory for one */
		.last_span = SPROF_PROFILE_NONE,
		.last_wait.holder = SPROF_PROFILE_NONE,
	};

	return sprof_array_reserve(&index->windows, &index->window_capacity,
		       profile->thread_count + 1, sizeof(*index->windows)) &&
		sprof_intern(&threads, sprof_key(high, low), &thread, ret_thread);
}

static uint64_t word_of(
	const struct sprof_attribute *attribute, struct sprof_profile_context *context)
{
	if (attribute->form == SPROF_ATTRIBUTE_TEXT)
		return (uintptr_t)*sprof_attribute_text(attribute, context);
	return *sprof_attribute_word(attribute, context);
}

bool sprof_profile_intern_context(struct sprof_profile *profile,
	const struct sprof_profile_context *context, uint32_t *ret_context)
{
	const struct sprof_interned contexts = SPROF_INTERNED(&profile->index->contexts,
		profile->contexts, profile->context_count, profile->context_capacity);
	struct sprof_profile_context copy = *context;
	struct sprof_hash hash = sprof_hash_start(0);

	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		if (attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT)
			sprof_hash_add(&hash, word_of(attribute, &copy));
	}
	sprof_hash_add_pointer(&hash, context->labels);
	return sprof_intern(&contexts, hash, context, ret_context);
}

bool sprof_profile_intern_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint32_t *ret_row)
{
	const struct sprof_interned rows = SPROF_INTERNED(
		&profile->index->rows, profile->rows, profile->row_count, profile->row_capacity);
	const struct sprof_profile_row empty = {
		.thread = row->thread, .stack = row->stack, .context = row->context};

	assert(row->thread < profile->thread_count && row->stack < profile->stack_count &&
		row->context < profile->context_count);
	return sprof_intern(&rows,
		sprof_key((uint64_t)row->thread << 32 | row->context, row->stack), &empty, ret_row);
}

/* What texts say that profile/names/name-waits.c writes for locks. */
bool sprof_profile_is_join(const struct sprof_profile_context *context)
{
	return context->object &&
		strcmp(context->object, sprof_lock_kind_name(SPROF_LOCK_JOIN)) == 0;
}

bool sprof_profile_is_interpreter_lock(const char *object)
{
	return object &&
		sprof_string_starts_with(object, sprof_lock_kind_name(SPROF_LOCK_INTERPRETER));
}

bool sprof_profile_is_own_lock(const struct sprof_profile_context *context)
{
	return context->syscall && strcmp(context->syscall, "futex") == 0 && context->object &&
		!sprof_string_starts_with(context->object, SPROF_PROFILE_SHARED);
}
