/* Turns the kernel's reports about tracees into events of their target. */
#pragma once

#include <signal.h>

#include "attach/target-internal.h"

/* Handles a stop at a system call, already read, of a thread of the target. */
void sprof_dispatch_call(struct sprof_target *target, struct sprof_thread *thread,
	const struct sprof_call_state *state);

/*
 * Handles a stop, as described by waitid(2). The thread continues at once unless an event is
 * queued.
 */
void sprof_dispatch_stop(struct sprof_target *target, const siginfo_t *info);

/*
 * A thread has ended but is not reaped, so its final figures can still be read. PTRACE_EVENT_EXIT
 * is not used: it would stop every thread once more, before its last work, the release of its
 * memory.
 */
void sprof_dispatch_end(struct sprof_target *target, const siginfo_t *info);

/*
 * Reaps an ended thread. Only this wait has the status of the launched process: before Linux 5.17,
 * one with WNOWAIT has the main thread's own code, also if another thread ended the process later
 * (kernel/exit.c, wait_task_zombie; tests/behaviours, deaths).
 */
void sprof_dispatch_reap(struct sprof_target *target, pid_t tid);
