/* The threads and processes that allocate. Does not handle the effect of single calls (step.c). */
#include "events/heap/allocations.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/idmap.h"
#include "events/heap/step.h"

/* Indices of an event's values. */
enum { NUMBER = 0, SP = 2, CHILD = 0 };

/* By how much sp is above that of the entry, after the return. */
#ifdef __x86_64__
enum { RETURN_SIZE = 8 };
#else
enum { RETURN_SIZE = 0 };
#endif

struct thread {
	uint32_t process;
	uint64_t last_serial; /* of its last allocation */
	struct sprof_heap_calls calls;
};

/* Beside the process of the books that has the same number. */
struct process {
	bool is_ignored;
	bool is_copy; /* of its parent */
};

struct sprof_allocations {
	struct sprof_allocations_options options;
	struct sprof_allocations_counts counts;
	struct sprof_heap_books books;
	struct thread **threads; /* by id; NULL: not seen, or ended */
	size_t thread_count, thread_capacity;
	struct process *processes;
	size_t process_capacity;
	struct sprof_idmap by_pid;
};

struct sprof_allocations *sprof_allocations_create(const struct sprof_allocations_options *options)
{
	struct sprof_allocations *allocations = calloc(1, sizeof(*allocations));

	if (allocations)
		allocations->options = *options;
	return allocations;
}

void sprof_allocations_destroy(struct sprof_allocations *allocations)
{
	if (!allocations)
		return;
	for (size_t i = 0; i < allocations->thread_count; i++)
		free(allocations->threads[i]);
	free(allocations->threads);
	free(allocations->processes);
	sprof_idmap_finish(&allocations->by_pid);
	sprof_heap_finish(&allocations->books);
	free(allocations);
}

static bool new_process(struct sprof_allocations *allocations, pid_t pid,
	const struct process *process, uint32_t *ret_process)
{
	if (!sprof_heap_process(&allocations->books, ret_process) ||
		!sprof_array_reserve(&allocations->processes, &allocations->process_capacity,
			*ret_process + 1, sizeof(*allocations->processes)))
		return false;
	allocations->processes[*ret_process] = *process;
	return sprof_idmap_put(&allocations->by_pid, 0, (uint64_t)pid, *ret_process);
}

static bool find_process(struct sprof_allocations *allocations, pid_t pid, uint32_t *ret_process)
{
	*ret_process = sprof_idmap_find(&allocations->by_pid, 0, (uint64_t)pid);
	if (*ret_process == SPROF_IDMAP_NONE)
		return new_process(allocations, pid, &(struct process){0}, ret_process);
	sprof_heap_process_revive(&allocations->books, *ret_process);
	return true;
}

/* Returns false if out of memory. */
static bool find_thread(struct sprof_allocations *allocations,
	const struct sprof_trace_event *event, struct thread **ret_thread)
{
	struct thread **place;

	if (event->thread >= allocations->thread_count) {
		if (!sprof_array_reserve(&allocations->threads, &allocations->thread_capacity,
			    (size_t)event->thread + 1, sizeof(struct thread *)))
			return false;
		allocations->thread_count = (size_t)event->thread + 1;
	}
	place = &allocations->threads[event->thread];
	if (!*place)
		*place = calloc(1, sizeof(**place));
	*ret_thread = *place;
	return *place && find_process(allocations, event->pid, &(*place)->process);
}

/* The calls of the thread have not done anything. Returns false if out of memory. */
static bool forget_all(struct sprof_allocations *allocations, struct thread *thread)
{
	struct sprof_heap_calls *calls = &thread->calls;

	for (size_t i = 0; i < calls->count; i++) {
		const uint32_t block = calls->open[i].block;

		if (block != SPROF_HEAP_NONE && !sprof_heap_put_back(&allocations->books, block))
			return false;
	}
	allocations->counts.left += calls->count;
	*calls = (struct sprof_heap_calls){0};
	return true;
}

static bool add_call(struct sprof_allocations *allocations, const struct sprof_trace_event *event)
{
	const struct sprof_allocations_options *options = &allocations->options;
	const bool is_return = event->type == SPROF_TRACE_RETURN;
	struct sprof_heap_step step = {
		.options = options,
		.counts = &allocations->counts,
		.books = &allocations->books,
		.event = event,
		.allocator = options->allocator(options->data, event->fields[NUMBER].integer),
		.sp = (uint64_t)event->fields[SP].integer - (is_return ? RETURN_SIZE : 0),
	};
	struct thread *thread;

	if (!step.allocator)
		return true;
	if (!find_thread(allocations, event, &thread))
		return false;
	if (allocations->processes[thread->process].is_ignored)
		return true;
	step.process = thread->process;
	step.is_copy = allocations->processes[thread->process].is_copy;
	step.calls = &thread->calls;
	step.last_serial = &thread->last_serial;
	return is_return ? sprof_heap_step_leave(&step) : sprof_heap_step_enter(&step);
}

static bool add_birth(struct sprof_allocations *allocations, const struct sprof_trace_event *event)
{
	const struct process child = {
		.is_copy = true, .is_ignored = !allocations->options.follow_children};
	uint32_t process;

	return new_process(allocations, (pid_t)event->fields[CHILD].integer, &child, &process);
}

/* All other threads are gone, with their open calls. */
static bool add_exec(struct sprof_allocations *allocations, const struct sprof_trace_event *event)
{
	uint32_t process;

	if (!find_process(allocations, event->pid, &process))
		return false;
	for (size_t i = 0; i < allocations->thread_count; i++) {
		struct thread *thread = allocations->threads[i];

		if (thread && thread->process == process)
			*thread = (struct thread){.process = process};
	}
	sprof_heap_process_replace(&allocations->books, process);
	allocations->processes[process].is_copy = false;
	return true;
}

/*
 * The first thread's end is reported when all others have ended; otherwise further events follow.
 */
static bool add_end(struct sprof_allocations *allocations, const struct sprof_trace_event *event)
{
	const uint32_t process = sprof_idmap_find(&allocations->by_pid, 0, (uint64_t)event->pid);

	if (event->thread < allocations->thread_count && allocations->threads[event->thread]) {
		if (!forget_all(allocations, allocations->threads[event->thread]))
			return false;
		free(allocations->threads[event->thread]);
		allocations->threads[event->thread] = NULL;
	}
	if (event->pid == event->tid && process != SPROF_IDMAP_NONE)
		sprof_heap_process_end(&allocations->books, process, event->time_ns);
	return true;
}

bool sprof_allocations_add(
	struct sprof_allocations *allocations, const struct sprof_trace_event *event)
{
	switch (event->type) {
	case SPROF_TRACE_PROBE:
	case SPROF_TRACE_RETURN:
		return add_call(allocations, event);
	case SPROF_TRACE_FORK:
		return add_birth(allocations, event);
	case SPROF_TRACE_EXEC:
		return add_exec(allocations, event);
	case SPROF_TRACE_EXIT:
		return add_end(allocations, event);
	default:
		return true;
	}
}

const struct sprof_heap_books *sprof_allocations_books(const struct sprof_allocations *allocations)
{
	return &allocations->books;
}

const struct sprof_allocations_counts *sprof_allocations_counts(
	const struct sprof_allocations *allocations)
{
	return &allocations->counts;
}
