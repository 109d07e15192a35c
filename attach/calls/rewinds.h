/*
 * State of threads with calls that sprof restarts, on machines where the kernel does not
 * (sprof_regs_kernel_restarts): a call interrupted by a signal handler must not restart.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs/regs.h"

enum { SPROF_REWINDS_HANDLED = 4 };

struct sprof_rewinds {
	/*
	 * Where the latest handlers interrupted the thread; sp 0: unused. `next` is replaced next.
	 */
	struct {
		uint64_t pc, sp;
	} handled[SPROF_REWINDS_HANDLED];
	unsigned next;
	/* The registers at the last stop, and the place to which the thread was moved; pc 0: not
	 * moved. */
	struct sprof_regs before;
	struct sprof_regs_place placed;
};

/*
 * At a stop before a signal with a handler. Returns true if the thread is still where sprof moved
 * it, because it has not restarted its call. *ret is its original place.
 */
bool sprof_rewinds_handle(
	struct sprof_rewinds *rewinds, const struct sprof_regs *regs, struct sprof_regs_place *ret);

/*
 * At any other stop after a call that returned EINTR: whether it may restart. Returns false, once
 * per handler, if a handler has interrupted a call there and may just have returned.
 */
bool sprof_rewinds_allow(struct sprof_rewinds *rewinds, const struct sprof_regs *regs);

/* The thread was moved before its call. */
void sprof_rewinds_note(struct sprof_rewinds *rewinds, const struct sprof_regs *regs,
	const struct sprof_regs_place *place);
