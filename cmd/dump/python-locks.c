/*
 * Python records no owner of a threading.Lock, but frames show which locks a thread has entered by
 * a `with` statement (interp/python/holds.c). Reads the frames after the stacks: the threads of a
 * deadlock still sleep then. Does not handle threads in other pid namespaces.
 */
#include "cmd/dump/python-locks.h"

#include <stdlib.h>

#include "attach/module/read-maps.h"
#include "attach/proc/memory.h"
#include "interp/interp.h"

/* The interpreter of a process, and a copy of frames that all of its threads use. */
struct search {
	struct sprof_stacks *stacks;
	size_t first, end; /* the process's threads */
	pid_t pid;
	struct sprof_interp_process *process;
	struct sprof_interp_memory memory;
	struct sprof_interp_copy *copy;
};

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct search *search = data;

	return sprof_memory_read(search->pid, address, buffer, size);
}

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	const struct search *search = data;

	sprof_memory_read_pieces(search->pid, pieces, count);
	if (!count || pieces[0].got || !sprof_memory_is_denied())
		return;
	for (size_t i = 0; i < count; i++)
		pieces[i].got =
			read_memory(data, pieces[i].address, pieces[i].buffer, pieces[i].size);
}

static bool is_wanted(const struct sprof_thread_stack *thread)
{
	return thread->sampled && thread->lock == SPROF_LOCK_PYTHON && thread->lock_address &&
		!thread->lock_traits.is_limited && !thread->holder;
}

static bool has_wanted(const struct sprof_stacks *stacks, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		if (is_wanted(&stacks->threads[i]))
			return true;
	}
	return false;
}

/* Whether an earlier thread waits for the same lock. */
static bool was_asked(const struct search *search, size_t thread)
{
	const struct sprof_thread_stack *threads = search->stacks->threads;

	for (size_t i = search->first; i < thread; i++) {
		if (is_wanted(&threads[i]) &&
			threads[i].lock_address == threads[thread].lock_address)
			return true;
	}
	return false;
}

/* Of a lock that this thread waits for, and of all threads that wait for the same one. */
static void set_holder(const struct search *search, size_t thread, pid_t holder)
{
	struct sprof_thread_stack *threads = search->stacks->threads;
	const uint64_t lock = threads[thread].lock_address;

	for (size_t i = thread; i < search->end; i++) {
		if (is_wanted(&threads[i]) && threads[i].lock_address == lock)
			threads[i].holder = holder;
	}
}

/* Which of the process's threads wait for a lock of this one. */
static bool look_at(struct search *search, pid_t tid)
{
	const struct sprof_interp_subject subject = {.own_tid = tid};
	const struct sprof_interp_stack no_stack = {0};
	struct sprof_interp_thread *thread = NULL;
	const struct sprof_thread_stack *threads = search->stacks->threads;

	if (!sprof_interp_prepare(
		    search->process, &search->memory, &subject, &thread, &search->copy)) {
		sprof_interp_thread_destroy(thread);
		return false;
	}
	sprof_interp_copy(search->process, &search->memory, &no_stack, thread, search->copy);
	for (size_t i = search->first; i < search->end; i++) {
		if (is_wanted(&threads[i]) && !was_asked(search, i) &&
			sprof_interp_holds(search->process, &search->memory, search->copy,
				threads[i].lock_address))
			set_holder(search, i, tid);
	}
	sprof_interp_thread_destroy(thread);
	return true;
}

static bool search_process(
	struct search *search, struct sprof_interp *interp, struct sprof_modules *modules)
{
	struct sprof_maps maps = {0};
	bool ok = true;

	search->pid = search->stacks->threads[search->first].pid;
	search->memory = (struct sprof_interp_memory){search, read_memory, read_pieces};
	search->copy = NULL;
	search->process = sprof_maps_read(&maps, search->pid, modules)
		? sprof_interp_find(interp, &maps, &search->memory, NULL)
		: NULL;
	for (size_t i = search->first; search->process && ok && i < search->end; i++)
		ok = look_at(search, search->stacks->threads[i].tid);
	sprof_interp_copy_destroy(search->copy);
	sprof_interp_process_destroy(search->process);
	sprof_maps_finish(&maps);
	return ok;
}

bool sprof_python_locks_find(
	struct sprof_stacks *stacks, struct sprof_interp *interp, struct sprof_modules *modules)
{
	struct search search = {.stacks = stacks};

	for (size_t i = 0; interp && i < stacks->thread_count; i = search.end) {
		search.first = i;
		search.end = sprof_stacks_process_end(stacks, i);
		if (has_wanted(stacks, i, search.end) && !search_process(&search, interp, modules))
			return false;
	}
	return true;
}
