/*
 * Copying a stack. Runs between a thread's stop and its continuation: one system call, no allocation
 * (two calls while it is on another stack than its own).
 */
#include "sampler/sampler-internal.h"

#include "attach/memory.h"
#include "base/array.h"

bool sprof_copy_reserve(struct copy_buffer *buffer, const struct sampling *sampling)
{
	/* As much again for the thread's own stack, while a signal handler runs on another one. */
	return sprof_array_reserve(&buffer->bytes, &buffer->capacity, 2 * sampling->copy_size, 1);
}

bool sprof_copy_has_room(const struct copy_buffer *buffer, const struct sampling *sampling)
{
	return buffer->capacity >= 2 * sampling->copy_size;
}

static void copy(pid_t pid, uint64_t base, const struct sprof_mapping *mapping, size_t size,
	uint8_t *bytes, struct sprof_stack_copy *ret)
{
	if (mapping && base < mapping->start)
		base = mapping->start;
	if (mapping && mapping->end - base < size)
		size = mapping->end - base;
	ret->base = base;
	ret->bytes = bytes;
	ret->size = sprof_memory_read(pid, base, bytes, size);
	ret->floor = base;
	ret->limit = mapping ? mapping->end : UINT64_MAX;
}

/*
 * On a signal stack, or in a coroutine: the thread's own stack too, around where its sp was last, so
 * that a walk can go on behind the signal frame.
 */
static void copy_home(const struct sprof_thread *thread, struct copy_buffer *buffer,
	const struct sprof_mapping *stack, struct sprof_snapshot *snapshot)
{
	struct sampling *sampling = thread->sampling;
	const struct sprof_mapping *home;

	snapshot->home = (struct sprof_stack_copy){0};
	if (stack && (!sampling->home_end || stack->end == sampling->home_end)) {
		sampling->home_end = stack->end;
		sampling->home_sp = snapshot->regs.values[SPROF_REG_SP];
		return;
	}
	home = sprof_maps_find(&thread->process->maps, sampling->home_sp);
	if (!stack || !home)
		return;
	copy(thread->process->pid, sampling->home_sp - sampling->copy_size / 4, home,
		sampling->copy_size, buffer->bytes + sampling->copy_size, &snapshot->home);
	snapshot->home.floor = home->start;
}

bool sprof_copy_stack(const struct sprof_thread *thread, struct copy_buffer *buffer,
	struct sprof_snapshot *snapshot)
{
	const struct sampling *sampling = thread->sampling;
	uint64_t sp = snapshot->regs.values[SPROF_REG_SP];
	const struct sprof_mapping *stack = sprof_maps_find(&thread->process->maps, sp);

	/* The red zone of an sp at the start of its mapping lies in the guard page. */
	copy(thread->process->pid, sp - SPROF_RED_ZONE, stack, sampling->copy_size, buffer->bytes,
		&snapshot->stack);
	copy_home(thread, buffer, stack, snapshot);
	return snapshot->stack.size > 0;
}
