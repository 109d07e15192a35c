/*
 * The alternate stack of a stopped thread, on which handlers of signals may run (sigaltstack(2)).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs/regs.h"
#include "attach/thread.h"
#include "base/attributes.h"

struct sprof_alternate_stack {
	uint64_t low, high; /* addresses: [low, high); both 0: none */
};

/*
 * The thread is held at a breakpoint, with these registers. Makes it call sigaltstack(2). Returns
 * false if a seccomp filter is active, or the thread is gone.
 */
SPROF_MUST_USE bool sprof_alternate_stack_read(struct sprof_thread *thread,
	const struct sprof_regs *regs, struct sprof_alternate_stack *ret);
