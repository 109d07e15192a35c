/*
 * Where the frames of a thread are: the next copy reads all these blocks by one system call, before
 * it knows the frames. Since 3.11 frames are contiguous, so a few blocks suffice, and the last one
 * has room for further calls.
 */
#include <stdlib.h>

#include "base/array.h"
#include "interp/python/python.h"

enum {
	MOST_BLOCKS = SPROF_MEMORY_MOST_PIECES - SPROF_INTERP_STATES - 1,
	MOST_BYTES = 512 << 10, /* as many as calls that are a thousand deep need */
	AHEAD = 512,
	PAGE = 4096, /* the next page may be unmapped */
	/*
	 * unused bytes between frames that are read as well, without touching another page: cheaper
	 * than another piece
	 */
	GAP = PAGE - 1,
	KEEP = 32, /* copies with the same blocks: calls that have ended may be among them */
};

static int compare(const void *left, const void *right)
{
	const struct sprof_interp_block *one = left, *other = right;

	return (one->address > other->address) - (one->address < other->address);
}

static bool list(const struct sprof_python_offsets *offsets, struct sprof_interp_thread *thread,
	const struct sprof_interp_copy *copy)
{
	if (!sprof_array_reserve(&thread->blocks, &thread->block_capacity, copy->frame_count + 1,
		    sizeof(*thread->blocks)))
		return false;
	thread->block_count = 0;
	for (size_t i = 0; i < copy->frame_count; i++) {
		/* Shims lie on the native stack, which is copied anyway. */
		if (!copy->frames[i].is_shim)
			thread->blocks[thread->block_count++] = (struct sprof_interp_block){
				copy->frames[i].address, offsets->frame_size};
	}
	return true;
}

/* One block for frames that are close together. */
static void join(struct sprof_interp_thread *thread)
{
	size_t kept = 0, total = 0;

	for (size_t i = 0; i < thread->block_count; i++) {
		const struct sprof_interp_block *block = &thread->blocks[i];
		struct sprof_interp_block *last = kept ? &thread->blocks[kept - 1] : NULL;
		uint64_t end = block->address + block->size, size;

		if (last && block->address <= last->address + last->size + GAP) {
			size = end > last->address + last->size ? end - last->address : last->size;
			total += size - last->size;
			last->size = (uint32_t)size;
		} else {
			total += block->size;
			thread->blocks[kept++] = *block;
		}
		if (total > MOST_BYTES || kept == MOST_BLOCKS)
			break;
	}
	thread->block_count = kept;
}

/* Room for calls: up to the end of its page. */
static void extend(struct sprof_interp_thread *thread, uint64_t innermost)
{
	for (size_t i = 0; i < thread->block_count; i++) {
		struct sprof_interp_block *block = &thread->blocks[i];
		const uint64_t end = block->address + block->size;
		const uint64_t room = (PAGE - end % PAGE) % PAGE;

		if (innermost >= block->address && innermost < end)
			block->size += (uint32_t)(room < AHEAD ? room : AHEAD);
	}
}

bool sprof_python_learn(const struct sprof_interp_process *process,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy)
{
	const struct sprof_python_offsets *offsets = &sprof_python_of(process)->offsets;

	if (!copy->misses && copy->outcome == SPROF_INTERP_READ && thread->kept++ < KEEP)
		return true;
	thread->kept = 0;
	if (!list(offsets, thread, copy))
		return false;
	qsort(thread->blocks, thread->block_count, sizeof(*thread->blocks), compare);
	join(thread);
	for (size_t i = 0; i < copy->frame_count && sprof_python_has_pointers(offsets); i++) {
		if (copy->frames[i].is_shim)
			continue;
		extend(thread, copy->frames[i].address);
		break;
	}
	return true;
}
