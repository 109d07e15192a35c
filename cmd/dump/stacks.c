/*
 * A sink that stores stacks as they come. Does not handle names.
 *
 * Functions without an error parameter fail only if out of memory.
 */
#include "cmd/dump/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "attach/regs/regs.h"
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

static void state_finish(struct sprof_kept_state *state)
{
	free(state->registers);
	free(state->bytes);
	free(state->frames);
	*state = (struct sprof_kept_state){0};
}

/* Returns NULL if out of memory, or if there is nothing to copy. */
static void *copy_of(const void *data, size_t size)
{
	void *copy = size ? malloc(size) : NULL;

	return copy ? memcpy(copy, data, size) : NULL;
}

static bool keep_state(
	const struct sprof_stack_view *view, bool with_memory, struct sprof_kept_state *ret)
{
	const struct sprof_stack_state *state = view->state;

	if (!state)
		return true;
	ret->registers = copy_of(state->registers, SPROF_REG_COUNT * sizeof(*state->registers));
	ret->known = state->known;
	ret->frames = copy_of(state->frames, view->count * sizeof(*state->frames));
	if (with_memory) {
		ret->base = state->base;
		ret->size = state->size;
		ret->bytes = copy_of(state->bytes, state->size);
	}
	return ret->registers && (ret->frames || !view->count) && (ret->bytes || !ret->size);
}

static bool on_stack(void *data, const struct sprof_stack_view *view, uint32_t *ret_id)
{
	struct sprof_stacks *stacks = data;
	size_t first = stacks->frame_count;

	if (!sprof_array_reserve(&stacks->frames, &stacks->frame_capacity, first + view->count,
		    sizeof(*stacks->frames)) ||
		!sprof_array_reserve(&stacks->spans, &stacks->span_capacity, stacks->span_count + 1,
			sizeof(*stacks->spans)))
		return false;
	if (view->count)
		memcpy(stacks->frames + first, view->frames, view->count * sizeof(*view->frames));
	stacks->frame_count += view->count;
	*ret_id = (uint32_t)stacks->span_count++;
	stacks->spans[*ret_id] =
		(struct sprof_stack_span){.first = first, .count = view->count, .end = view->end};
	return keep_state(view, stacks->keeps_memory, &stacks->spans[*ret_id].kept);
}

static bool on_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id)
{
	struct sprof_stacks *stacks = data;
	struct sprof_stacks_wait kept = {
		.system_call = wait->system_call,
		.lock_address = wait->address,
		.lock_offset = wait->offset,
		.lock_module = wait->module,
		.lock = wait->lock,
		.is_lock_shared = wait->shared,
		.lock_traits = wait->traits,
	};

	if (!sprof_array_reserve(&stacks->waits, &stacks->wait_capacity, stacks->wait_count + 1,
		    sizeof(*stacks->waits)))
		return false;
	if (wait->object)
		kept.object = strdup(wait->object);
	stacks->waits[stacks->wait_count++] = kept;
	*ret_id = (uint32_t)stacks->wait_count;
	return !wait->object || kept.object;
}

/* Sets what the thread does in the kernel. */
static bool set_wait(struct sprof_stacks *stacks, struct sprof_thread_stack *thread,
	const struct sprof_sample *sample)
{
	const struct sprof_stacks_wait *wait;

	free(thread->object);
	thread->object = NULL;
	thread->holder = 0;
	thread->lock = SPROF_LOCK_UNKNOWN;
	thread->lock_traits = (struct sprof_lock_traits){0};
	thread->lock_address = 0;
	thread->in_syscall = false;
	if (sample->wait == SPROF_WAIT_NONE)
		return true;
	wait = &stacks->waits[sample->wait - 1];
	thread->in_syscall = wait->system_call >= 0;
	thread->syscall = wait->system_call;
	if (wait->lock_address)
		thread->lock = wait->lock;
	thread->lock_address = wait->lock_address;
	thread->is_lock_shared = wait->is_lock_shared;
	thread->lock_traits = wait->lock_traits;
	thread->lock_offset = wait->lock_offset;
	thread->lock_module = wait->lock_module;
	if (sample->holder && sample->holder->thread < stacks->thread_count)
		thread->holder = stacks->threads[sample->holder->thread].tid;
	if (wait->object)
		thread->object = strdup(wait->object);
	return !wait->object || thread->object;
}

static bool on_sample(void *data, const struct sprof_sample *sample)
{
	struct sprof_stacks *stacks = data;
	struct sprof_thread_stack *thread = find_thread(stacks, sample->thread);
	struct sprof_stack_span *span = &stacks->spans[sample->stack];

	if (!thread)
		return false;
	if (sample->is_further)
		return true;
	thread->sampled = true;
	thread->state = sample->state;
	thread->end = span->end;
	thread->frame_count = span->count;
	state_finish(&thread->kept);
	thread->kept = span->kept;
	span->kept = (struct sprof_kept_state){0};
	if (!set_wait(stacks, thread, sample))
		return false;
	free(thread->frames);
	thread->frames = calloc(span->count + 1, sizeof(*thread->frames));
	if (!thread->frames)
		return false;
	memcpy(thread->frames, stacks->frames + span->first, span->count * sizeof(*thread->frames));
	return true;
}

static bool on_charge(void *data, uint32_t thread, const struct sprof_charge *charge)
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
		.wait = on_wait,
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

size_t sprof_stacks_process_end(const struct sprof_stacks *stacks, size_t first)
{
	size_t end = first + 1;

	while (end < stacks->thread_count && stacks->threads[end].pid == stacks->threads[first].pid)
		end++;
	return end;
}

void sprof_stacks_finish(struct sprof_stacks *stacks)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		free(stacks->threads[i].name);
		free(stacks->threads[i].frames);
		free(stacks->threads[i].object);
		state_finish(&stacks->threads[i].kept);
	}
	for (size_t i = 0; i < stacks->span_count; i++)
		state_finish(&stacks->spans[i].kept);
	for (size_t i = 0; i < stacks->wait_count; i++)
		free(stacks->waits[i].object);
	free(stacks->waits);
	free(stacks->threads);
	free(stacks->frames);
	free(stacks->spans);
	*stacks = (struct sprof_stacks){0};
}
