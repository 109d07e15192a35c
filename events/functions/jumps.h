/* The stack pointer to which longjmp(3) leads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs/regs.h"
#include "attach/thread.h"
#include "base/attributes.h"

struct sprof_jump {
	uint64_t from, to; /* stack pointers */
};

/* The thread is stopped there, with these registers. Returns false if its memory can't be read. */
SPROF_MUST_USE bool sprof_jump_read(
	const struct sprof_thread *thread, const struct sprof_regs *regs, struct sprof_jump *ret);
