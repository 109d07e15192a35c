/*
 * Undoes what a ptrace-stop does to the system call that a thread is in. Every stop that may have
 * interrupted a call comes through here before the thread goes on.
 */
#ifndef SPROF_ATTACH_MEND_H
#define SPROF_ATTACH_MEND_H

#include <stdbool.h>

#include "attach/regs.h"
#include "attach/thread.h"
#include "base/attributes.h"

/*
 * At a stop: reads the registers as the program has them, and has the thread's call begin again or go
 * on for the rest of its data, if nothing but the stop has interrupted it. timed_too: see
 * struct sprof_restart. False: the thread is gone.
 */
SPROF_MUST_USE bool sprof_thread_mend(
	struct sprof_thread *thread, bool timed_too, struct sprof_regs *ret);

#endif
