/*
 * Repairs the system call that a ptrace-stop has interrupted. Every such stop must be handled here
 * before the thread continues.
 */
#pragma once

#include <stdbool.h>

#include "attach/regs/regs.h"
#include "attach/thread.h"
#include "base/attributes.h"

/*
 * At a stop: reads the program's registers and, if only the stop has interrupted the thread's call,
 * makes it restart or continue with the rest of its data. timed_too: see struct sprof_restart.
 * Returns false if the thread is gone.
 */
SPROF_MUST_USE bool sprof_thread_mend(
	struct sprof_thread *thread, bool timed_too, struct sprof_regs *ret);
