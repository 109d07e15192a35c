/*
 * What was copied from a thread while it stood still: registers and the used part of its stack.
 */
#ifndef SPROF_UNWIND_SNAPSHOT_H
#define SPROF_UNWIND_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attach/regs.h"

struct sprof_snapshot {
	struct sprof_regs regs;
	uint64_t base;        /* address of bytes[0]; the red zone below sp is part of the copy */
	size_t size;
	const uint8_t *bytes;
	bool cut;             /* the stack goes on above the copy */
};

enum sprof_stack_read { SPROF_STACK_OK, SPROF_STACK_BEYOND_COPY, SPROF_STACK_ELSEWHERE };

/* One word of the copied stack. */
static inline enum sprof_stack_read sprof_snapshot_word(
	const struct sprof_snapshot *snapshot, uint64_t address, uint64_t *ret)
{
	uint64_t offset = address - snapshot->base;

	if (offset < snapshot->size && snapshot->size - offset >= sizeof(*ret)) {
		memcpy(ret, snapshot->bytes + offset, sizeof(*ret));
		return SPROF_STACK_OK;
	}
	return address >= snapshot->base && snapshot->cut ? SPROF_STACK_BEYOND_COPY
							  : SPROF_STACK_ELSEWHERE;
}

#endif
