/*
 * What is remembered of a thread whose calls sprof begins anew, on machines where the kernel doesn't
 * (sprof_regs_kernel_restarts): after a signal handler a call must not begin anew.
 */
#ifndef SPROF_ATTACH_REWINDS_H
#define SPROF_ATTACH_REWINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/regs.h"

enum { SPROF_REWINDS_HANDLED = 4 };

struct sprof_rewinds {
	/* Where the latest handlers interrupted the thread; sp 0: none. The next one is replaced. */
	struct {
		uint64_t pc, sp;
	} handled[SPROF_REWINDS_HANDLED];
	unsigned next;
	/* The registers at the last stop, and where the thread has been placed instead; pc 0: it has
	 * not. */
	struct sprof_regs before;
	struct sprof_regs_place placed;
};

/*
 * At a stop before a signal that has a handler. True: the thread stands where it was placed, because
 * of a call that it has not begun again. *ret is where it belongs.
 */
bool sprof_rewinds_handle(
	struct sprof_rewinds *rewinds, const struct sprof_regs *regs, struct sprof_regs_place *ret);

/*
 * At any other stop, behind a call that returned EINTR: whether it may begin anew. False: a handler
 * has interrupted a call there, and it may have returned at this moment. The answer is false once
 * for each handler.
 */
bool sprof_rewinds_allow(struct sprof_rewinds *rewinds, const struct sprof_regs *regs);

/* The thread has been placed before its call. */
void sprof_rewinds_note(struct sprof_rewinds *rewinds, const struct sprof_regs *regs,
	const struct sprof_regs_place *place);

#endif
