/*
 * Turns the kernel's reports of tracees into events of their target.
 */
#ifndef SPROF_ATTACH_DISPATCH_H
#define SPROF_ATTACH_DISPATCH_H

#include <signal.h>

#include "attach/target-internal.h"

/* A stop at a system call of a thread of the target, as it has been read. */
void sprof_dispatch_call(struct sprof_target *target, struct sprof_thread *thread,
	const struct sprof_call_state *state);

/* A stop, as waitid(2) describes it. The thread continues at once unless an event is queued. */
void sprof_dispatch_stop(struct sprof_target *target, const siginfo_t *info);

/*
 * A thread has ended but is not reaped, so its last figures can still be read. This is why we don't
 * ask for PTRACE_EVENT_EXIT: it would stop every thread once more, before the thread's last work,
 * freeing its memory.
 */
void sprof_dispatch_end(struct sprof_target *target, const siginfo_t *info);

#endif
