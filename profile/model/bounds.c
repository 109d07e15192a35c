/*
 * Memory bounds for profiles that grow for days: how much to keep of each table, and the [other]
 * entries for the rest: a stack, a thread per process, and a process. Time and samples are never
 * dropped, only detail.
 *
 * A dropped thread is known by its id only while it lives, so millions of short-lived threads cost
 * nothing.
 */

#include "profile/model/index.h"

enum {
	ROWS_PER_STACK = 4,
	MOST_THREADS = 65536,
	MOST_PROCESSES = 16384,
	MOST_CONTEXTS = 262144,
	MOST_WAITS = 65536,
	MOST_TEXT = 64 << 20,
	OTHER_THREADS = 1, /* marks the keys of [other] threads; the sampler's keys have 0 there */
};

void sprof_profile_set_max_stacks(struct sprof_profile *profile, size_t max)
{
	profile->index->bounds = (struct sprof_profile_bounds){0};
	if (!max)
		return;
	profile->index->bounds = (struct sprof_profile_bounds){
		.stacks = max,
		.rows = max * ROWS_PER_STACK,
		.threads = MOST_THREADS,
		.processes = MOST_PROCESSES,
		.contexts = MOST_CONTEXTS,
		.waits = MOST_WAITS,
		.text = MOST_TEXT,
	};
}

bool sprof_profile_sample_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_raw_context *context, uint32_t *ret_row)
{
	const struct sprof_raw_context other = {.state = context->state,
		.holding_thread = SPROF_PROFILE_NONE,
		.holding_stack = SPROF_PROFILE_NONE};
	uint32_t raw;

	if (!sprof_profile_intern_raw(profile, context, &raw))
		return false;
	*ret_row = sprof_profile_find_raw_row(profile, thread, stack, raw);
	if (*ret_row != SPROF_IDMAP_NONE)
		return true;
	if (sprof_profile_is_full(profile->row_count, profile->index->bounds.rows) &&
		(!sprof_profile_other_stack(profile, &stack) ||
			!sprof_profile_intern_raw(profile, &other, &raw)))
		return false;
	return sprof_profile_intern_raw_row(profile, thread, stack, raw, ret_row);
}

/* The process of the record; [other] if there is no room for it. */
static bool take_process(struct sprof_profile *profile, const struct sprof_thread_record *record,
	uint32_t *ret_process)
{
	const struct sprof_thread_record other = {.name = SPROF_PROFILE_OTHER};

	if (sprof_profile_is_full(profile->process_count, profile->index->bounds.processes) &&
		!sprof_profile_has_process(profile, record))
		record = &other;
	return sprof_profile_intern_process(profile, record, ret_process);
}

/* The [other] thread of a process, for its dropped threads. */
static bool other_thread(struct sprof_profile *profile, uint32_t process, uint32_t *ret_thread)
{
	const char *name = sprof_strtab_intern(profile->index->strings, SPROF_PROFILE_OTHER);
	struct sprof_profile_thread *thread;

	if (!name || !sprof_profile_intern_thread(profile, OTHER_THREADS, process, ret_thread))
		return false;
	thread = &profile->threads[*ret_thread];
	thread->process = process;
	thread->is_other = true;
	thread->name = name;
	return true;
}

bool sprof_profile_take_thread(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_thread)
{
	struct sprof_profile_index *index = profile->index;
	uint32_t process, found = sprof_idmap_find(&index->threads, 0, record->id);

	if (found != SPROF_IDMAP_NONE && profile->threads[found].is_other) {
		*ret_thread = found;
		return true;
	}
	if (!take_process(profile, record, &process))
		return false;
	if (found == SPROF_IDMAP_NONE &&
		sprof_profile_is_full(profile->thread_count, index->bounds.threads)) {
		index->folded.threads++;
		return other_thread(profile, process, ret_thread) &&
			sprof_idmap_put(&index->threads, 0, record->id, *ret_thread);
	}
	if (!sprof_profile_intern_thread(profile, 0, record->id, ret_thread))
		return false;
	profile->threads[*ret_thread].process = process;
	return true;
}

bool sprof_profile_find_thread(struct sprof_profile *profile, uint32_t id, uint32_t *ret_thread)
{
	const struct sprof_thread_record nobody = {.name = SPROF_PROFILE_OTHER};
	uint32_t process;

	*ret_thread = sprof_idmap_find(&profile->index->threads, 0, id);
	if (*ret_thread != SPROF_IDMAP_NONE)
		return true;
	return sprof_profile_intern_process(profile, &nobody, &process) &&
		other_thread(profile, process, ret_thread);
}

uint32_t sprof_profile_thread_of(const struct sprof_profile *profile, uint32_t id)
{
	const uint32_t found = sprof_idmap_find(&profile->index->threads, 0, id);

	return found == SPROF_IDMAP_NONE ? SPROF_PROFILE_NONE : found;
}

void sprof_profile_forget_thread(struct sprof_profile *profile, uint32_t id)
{
	uint32_t found = sprof_idmap_find(&profile->index->threads, 0, id);

	if (found != SPROF_IDMAP_NONE && profile->threads[found].is_other)
		sprof_idmap_remove(&profile->index->threads, 0, id);
}
