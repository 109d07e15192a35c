/* The copy of a stopped thread: registers and the used part of its stack. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attach/regs/regs.h"
#include "unwind/goroutine.h"

/* A copied piece of stack. */
struct sprof_stack_copy {
	uint64_t base; /* address of bytes[0] */
	size_t size;   /* 0: no copy */
	const uint8_t *bytes;
	uint64_t floor, limit; /* the whole stack: a larger copy could hold [floor, limit) */
};

/* Access to all memory of a process at any time: for a core. */
struct sprof_snapshot_memory {
	const void *data;
	/* Reads one word. Returns false if there is no memory at the address. */
	bool (*read_word)(const void *data, uint64_t address, uint64_t *ret);
};

struct sprof_interp_copy;

struct sprof_snapshot {
	struct sprof_regs regs;
	struct sprof_goroutine goroutine;
	struct sprof_stack_copy stack; /* from the red zone below sp upwards */
	/* a goroutine's stack, if a signal interrupted the thread's own stack (`home`) */
	struct sprof_stack_copy third;
	/* the thread's own stack, or its goroutine's, while sp is on another stack */
	struct sprof_stack_copy home;
	/* an interpreter's frames, read at the same moment (interp/); NULL: none */
	const struct sprof_interp_copy *script;
	/* all other memory; NULL: unreadable */
	const struct sprof_snapshot_memory *memory;
};

enum sprof_stack_read { SPROF_STACK_OK, SPROF_STACK_BEYOND_COPY, SPROF_STACK_ELSEWHERE };

static inline enum sprof_stack_read sprof_stack_copy_word(
	const struct sprof_stack_copy *copy, uint64_t address, uint64_t *ret)
{
	uint64_t offset = address - copy->base;

	if (offset < copy->size && copy->size - offset >= sizeof(*ret)) {
		memcpy(ret, copy->bytes + offset, sizeof(*ret));
		return SPROF_STACK_OK;
	}
	return address >= copy->floor && address < copy->limit ? SPROF_STACK_BEYOND_COPY
							       : SPROF_STACK_ELSEWHERE;
}

/* A word of a stack other than sp's. */
static inline enum sprof_stack_read sprof_snapshot_other_word(
	const struct sprof_snapshot *snapshot, uint64_t address, uint64_t *ret)
{
	enum sprof_stack_read got = SPROF_STACK_ELSEWHERE;

	if (snapshot->home.size)
		got = sprof_stack_copy_word(&snapshot->home, address, ret);
	if (got != SPROF_STACK_OK && snapshot->third.size) {
		enum sprof_stack_read third = sprof_stack_copy_word(&snapshot->third, address, ret);

		got = third == SPROF_STACK_ELSEWHERE ? got : third;
	}
	return got;
}

static inline enum sprof_stack_read sprof_snapshot_word(
	const struct sprof_snapshot *snapshot, uint64_t address, uint64_t *ret)
{
	enum sprof_stack_read got = sprof_stack_copy_word(&snapshot->stack, address, ret);

	if (got != SPROF_STACK_OK && snapshot->memory)
		return snapshot->memory->read_word(snapshot->memory->data, address, ret)
			? SPROF_STACK_OK
			: SPROF_STACK_ELSEWHERE;
	/* Both may be in one mapping. */
	if (got != SPROF_STACK_OK && snapshot->home.size) {
		enum sprof_stack_read other = sprof_snapshot_other_word(snapshot, address, ret);

		return other == SPROF_STACK_ELSEWHERE ? got : other;
	}
	return got;
}
