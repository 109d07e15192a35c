/*
 * Page fault accounts per thread. While one event replaces another, both record the same faults; so
 * a thread is never credited more than the kernel has counted. Does not read the figures.
 */
#include "events/faults/threads.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/numbers.h"

static struct sprof_fault_thread *find(const struct sprof_fault_threads *threads, uint32_t id)
{
	const uint32_t at = sprof_idmap_find(&threads->by_id, 0, id);

	return at == SPROF_IDMAP_NONE ? NULL : &threads->items[at];
}

bool sprof_fault_threads_have(const struct sprof_fault_threads *threads, uint32_t id)
{
	return find(threads, id);
}

bool sprof_fault_threads_add(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *first)
{
	if (!sprof_array_reserve(&threads->items, &threads->capacity, threads->count + 1,
		    sizeof(*threads->items)) ||
		!sprof_idmap_put(&threads->by_id, 0, id, (uint32_t)threads->count))
		return false;
	threads->items[threads->count++] =
		(struct sprof_fault_thread){.id = id, .first = *first, .known = *first};
	return true;
}

/* Faults counted by the kernel that no record covers yet. */
static struct sprof_fault_count room_of(const struct sprof_fault_thread *thread)
{
	return (struct sprof_fault_count){
		sprof_minus(
			sprof_minus(thread->known.minor, thread->first.minor), thread->seen.minor),
		sprof_minus(
			sprof_minus(thread->known.major, thread->first.major), thread->seen.major),
	};
}

bool sprof_fault_threads_have_room(const struct sprof_fault_threads *threads, uint32_t id,
	const struct sprof_fault_count *count)
{
	const struct sprof_fault_thread *thread = find(threads, id);
	const struct sprof_fault_count room =
		thread ? room_of(thread) : (struct sprof_fault_count){0};

	return count->minor <= room.minor && count->major <= room.major;
}

struct sprof_fault_count sprof_fault_threads_known(
	const struct sprof_fault_threads *threads, uint32_t id)
{
	const struct sprof_fault_thread *thread = find(threads, id);

	return thread ? thread->known : (struct sprof_fault_count){0};
}

void sprof_fault_threads_learn(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *known)
{
	struct sprof_fault_thread *thread = find(threads, id);

	if (thread)
		thread->known = *known;
}

void sprof_fault_threads_trust(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *more)
{
	struct sprof_fault_thread *thread = find(threads, id);

	if (!thread)
		return;
	thread->known.minor = sprof_most(
		thread->known.minor, thread->first.minor + thread->seen.minor + more->minor);
	thread->known.major = sprof_most(
		thread->known.major, thread->first.major + thread->seen.major + more->major);
}

void sprof_fault_threads_saw(
	struct sprof_fault_threads *threads, uint32_t id, struct sprof_fault_count *count)
{
	struct sprof_fault_thread *thread = find(threads, id);
	struct sprof_fault_count room = {0};

	if (thread)
		room = room_of(thread);
	count->minor = sprof_least(count->minor, room.minor);
	count->major = sprof_least(count->major, room.major);
	if (!thread)
		return;
	thread->seen.minor += count->minor;
	thread->seen.major += count->major;
}

/* The last entry moves to its place; its key is in the map already, so no memory is needed. */
static void remove_thread(struct sprof_fault_threads *threads, struct sprof_fault_thread *thread)
{
	const struct sprof_fault_thread *last = &threads->items[--threads->count];

	sprof_idmap_remove(&threads->by_id, 0, thread->id);
	if (thread == last)
		return;
	*thread = *last;
	(void)!sprof_idmap_put(&threads->by_id, 0, thread->id, (uint32_t)(thread - threads->items));
}

bool sprof_fault_threads_end(struct sprof_fault_threads *threads, uint32_t id,
	const struct sprof_fault_count *last, struct sprof_fault_balance *ret)
{
	struct sprof_fault_thread *thread = find(threads, id);

	if (!thread)
		return false;
	thread->known = *last;
	ret->all.minor = sprof_minus(last->minor, thread->first.minor);
	ret->all.major = sprof_minus(last->major, thread->first.major);
	ret->unseen = room_of(thread);
	remove_thread(threads, thread);
	return true;
}

void sprof_fault_threads_finish(struct sprof_fault_threads *threads)
{
	free(threads->items);
	sprof_idmap_finish(&threads->by_id);
	*threads = (struct sprof_fault_threads){0};
}
