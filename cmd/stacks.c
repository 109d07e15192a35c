/*
 * A sink that keeps stacks as they come. Knows nothing of names; a thread's system call is read when
 * its sample arrives, which is as close to the sample as it gets.
 */
#include "cmd/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/procfs.h"
#include "base/array.h"

static struct sprof_thread_stack *find_thread(struct sprof_stacks *stacks, uint32_t id)
{
	if (!sprof_array_reserve(&stacks->threads, &stacks->thread_capacity, (size_t)id + 1,
		    sizeof(*stacks->threads)))
		return NULL;
	while (stacks->thread_count <= id) {
		stacks->threads[stacks->thread_count].id = (uint32_t)stacks->thread_count;
		stacks->thread_count++;
	}
	return &stacks->threads[id];
}

static bool on_thread(void *data, const struct sprof_thread_record *record)
{
	struct sprof_thread_stack *thread = find_thread(data, record->id);

	if (!thread)
		return false;
	thread->pid = record->pid;
	thread->tid = record->tid;
	free(thread->name);
	thread->name = strdup(record->name);
	return thread->name;
}

static bool on_stack(void *data, const struct sprof_stack_view *view, uint32_t *ret_id)
{
	struct sprof_stacks *stacks = data;
	size_t first = stacks->frame_count;

	if (!sprof_array_reserve(&stacks->frames, &stacks->frame_capacity, first + view->count,
		    sizeof(*stacks->frames)) ||
		!sprof_array_reserve(&stacks->spans, &stacks->span_capacity,
			stacks->span_count + 1, sizeof(*stacks->spans)))
		return false;
	if (view->count)
		memcpy(stacks->frames + first, view->frames, view->count * sizeof(*view->frames));
	stacks->frame_count += view->count;
	*ret_id = (uint32_t)stacks->span_count++;
	stacks->spans[*ret_id] = (struct sprof_stack_span){
		.first = first, .count = view->count, .end = view->end};
	return true;
}

static void read_syscall(struct sprof_thread_stack *thread)
{
	struct sprof_proc_syscall syscall;
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", thread->pid, thread->tid);
	thread->in_syscall = sprof_proc_read_path(path, text, sizeof(text)) > 0 &&
		sprof_proc_parse_syscall(text, &syscall) &&
		syscall.kind == SPROF_PROC_SYSCALL_INSIDE;
	if (thread->in_syscall)
		thread->syscall = syscall.number;
}

static bool on_sample(void *data, const struct sprof_sample *sample)
{
	struct sprof_stacks *stacks = data;
	struct sprof_thread_stack *thread = find_thread(stacks, sample->thread);
	const struct sprof_stack_span *span = &stacks->spans[sample->stack];

	if (!thread)
		return false;
	thread->sampled = true;
	thread->state = sample->state;
	thread->end = span->end;
	thread->frame_count = span->count;
	thread->in_syscall = false;
	if (sample->state == SPROF_STATE_SLEEP || sample->state == SPROF_STATE_DISK)
		read_syscall(thread);
	free(thread->frames);
	thread->frames = calloc(span->count + 1, sizeof(*thread->frames));
	if (!thread->frames)
		return false;
	memcpy(thread->frames, stacks->frames + span->first, span->count * sizeof(*thread->frames));
	return true;
}

static bool on_charge(void *data, uint32_t thread, const struct sprof_times *times, bool last)
{
	return true;
}

struct sprof_sink sprof_stacks_sink(struct sprof_stacks *stacks)
{
	return (struct sprof_sink){
		.data = stacks,
		.thread = on_thread,
		.stack = on_stack,
		.sample = on_sample,
		.charge = on_charge,
	};
}

static int compare_threads(const void *left, const void *right)
{
	const struct sprof_thread_stack *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

void sprof_stacks_sort(struct sprof_stacks *stacks)
{
	if (stacks->thread_count)
		qsort(stacks->threads, stacks->thread_count, sizeof(*stacks->threads),
			compare_threads);
}

void sprof_stacks_finish(struct sprof_stacks *stacks)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		free(stacks->threads[i].name);
		free(stacks->threads[i].frames);
	}
	free(stacks->threads);
	free(stacks->frames);
	free(stacks->spans);
	*stacks = (struct sprof_stacks){0};
}
