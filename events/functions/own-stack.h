/*
 * The stack that a thread began on. A call on it that lies below a later stack pointer has ended.
 * That does not hold for other stacks (of coroutines, of signal handlers), which may alternate.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/breakpoints/alternate.h"
#include "attach/regs/regs.h"

/* Zeroed: unknown; nothing is on it. */
struct sprof_own_stack {
	uint64_t low, high;                     /* addresses: [low, high) */
	struct sprof_alternate_stack alternate; /* may be within it */
};

static inline bool sprof_own_stack_has(const struct sprof_own_stack *stack, uint64_t sp)
{
	const struct sprof_alternate_stack *alternate = &stack->alternate;

	return sp >= stack->low && sp < stack->high &&
		!(sp >= alternate->low && sp < alternate->high);
}

/*
 * Finds the stack from the text of /proc/PID/maps and the registers at a stop. is_main: the process
 * began with this thread.
 */
struct sprof_own_stack sprof_own_stack_find(
	const char *maps, const struct sprof_regs *regs, bool is_main);
