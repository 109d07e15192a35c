/*
 * The bounds of a profile that grows for days. Knows how much is kept of each thing and what stands
 * for the rest: a stack, a thread of each process and a process that are called [other]. Time and
 * samples are never dropped, only what they are told apart by.
 *
 * A thread that is not kept is known by its id as long as it lives, so that threads that come and go
 * by the million cost nothing.
 */
#include <string.h>

#include "profile/index.h"

enum {
	ROWS_PER_STACK = 4,
	MOST_THREADS = 65536,
	MOST_PROCESSES = 16384,
	MOST_CONTEXTS = 262144,
	MOST_WAITS = 65536,
	MOST_TEXT = 64 << 20,
	LONGEST_TEXT = 4096, /* of a command line */
	OTHER_THREADS = 1,   /* marks the keys of [other] threads; the sampler's have 0 there */
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

bool sprof_profile_intern_text(struct sprof_profile *profile, const char *text, const char **ret)
{
	struct sprof_strtab *strings = profile->index->strings;
	const size_t bound = profile->index->bounds.text;
	size_t length = strlen(text);

	*ret = NULL;
	if (bound && length > LONGEST_TEXT)
		length = LONGEST_TEXT;
	if (sprof_profile_is_full(sprof_strtab_size(strings) + length, bound)) {
		*ret = sprof_strtab_find(strings, text);
		text = SPROF_PROFILE_OTHER;
		length = strlen(text);
	}
	if (!*ret)
		*ret = sprof_strtab_intern_bytes(strings, text, length);
	return *ret;
}

bool sprof_profile_other_stack(struct sprof_profile *profile, uint32_t *ret_stack)
{
	uint32_t location;

	if (!sprof_profile_name_location(profile, SPROF_PROFILE_OTHER, &location) ||
		!sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, ret_stack))
		return false;
	profile->index->other_stack = *ret_stack;
	return true;
}

bool sprof_profile_is_other(const struct sprof_profile *profile, uint32_t stack)
{
	const uint32_t other = profile->index->other_stack;

	/* The kernel's end was put on later, and so has a larger number. */
	while (other && stack > other)
		stack = profile->stacks[stack].parent;
	return other && stack == other;
}

bool sprof_profile_sample_row(struct sprof_profile *profile, const struct sprof_profile_row *key,
	enum sprof_state state, uint32_t *ret_row)
{
	const struct sprof_profile_context context = {.state = state};
	const uint64_t high = (uint64_t)key->thread << 32 | key->context;
	struct sprof_profile_row other = {.thread = key->thread};

	if (!sprof_profile_is_full(profile->row_count, profile->index->bounds.rows) ||
		sprof_idmap_find(&profile->index->rows, high, key->stack) != SPROF_IDMAP_NONE)
		return sprof_profile_intern_row(profile, key, ret_row);
	return sprof_profile_other_stack(profile, &other.stack) &&
	       sprof_profile_intern_context(profile, &context, &other.context) &&
	       sprof_profile_intern_row(profile, &other, ret_row);
}

/* The process of the record; [other] when there is no room for it. */
static bool take_process(struct sprof_profile *profile, const struct sprof_thread_record *record,
	uint32_t *ret_process)
{
	const struct sprof_thread_record other = {.name = SPROF_PROFILE_OTHER};

	if (sprof_profile_is_full(profile->process_count, profile->index->bounds.processes) &&
		!sprof_profile_has_process(profile, record))
		record = &other;
	return sprof_profile_intern_process(profile, record, ret_process);
}

/* The thread that stands for those of a process that are not kept. */
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

void sprof_profile_forget_thread(struct sprof_profile *profile, uint32_t id)
{
	uint32_t found = sprof_idmap_find(&profile->index->threads, 0, id);

	if (found != SPROF_IDMAP_NONE && profile->threads[found].is_other)
		sprof_idmap_remove(&profile->index->threads, 0, id);
}
