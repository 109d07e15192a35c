/*
 * Copying a stack. Runs between a thread's stop and its continuation: one system call, no allocation.
 */
#include "sampler/sampler-internal.h"

#include "attach/memory.h"
#include "base/array.h"

bool sprof_copy_reserve(uint8_t **buffer, size_t *capacity, size_t size)
{
	return sprof_array_reserve(buffer, capacity, size, 1);
}

bool sprof_copy_stack(const struct sprof_thread *thread, uint8_t **buffer, size_t *capacity,
	size_t size, struct sprof_snapshot *snapshot)
{
	uint64_t sp = snapshot->regs.values[SPROF_REG_SP];
	const struct sprof_mapping *stack = sprof_maps_find(&thread->process->maps, sp);
	uint64_t base = sp - SPROF_RED_ZONE;

	if (size > *capacity)
		size = *capacity;
	/* The red zone of an sp at the start of its mapping lies in the guard page. */
	if (stack && base < stack->start)
		base = stack->start;
	if (stack && stack->end - base < size)
		size = stack->end - base;
	snapshot->base = base;
	snapshot->bytes = *buffer;
	snapshot->size = sprof_memory_read(thread->process->pid, base, *buffer, size);
	snapshot->cut = !stack || base + snapshot->size < stack->end;
	return snapshot->size > 0;
}
