/*
 * System calls that a ptrace-stop would make fail with EINTR, and their repair.
 *
 * Most calls are restarted by the kernel after a stop, with what is left of their time-out. Some are
 * not (signal(7), "Interruption of system calls and library functions by stop signals"; ptrace(2),
 * BUGS): the program would see an EINTR that it never sees without a tracer.
 */
#ifndef SPROF_ATTACH_RESTART_H
#define SPROF_ATTACH_RESTART_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/procfs.h"
#include "attach/regs.h"
#include "attach/thread.h"

/*
 * Whether a thread that sleeps in this call can be stopped without the program noticing: the call is
 * restarted with its time-out kept, or it has none and is repaired. False when in doubt.
 */
bool sprof_restart_is_harmless(pid_t pid, const struct sprof_proc_syscall *call);

/*
 * Whether no signal breaks off this call before it is done, so that a thread in it stops at its end, with
 * its result.
 */
bool sprof_restart_is_unneeded(const struct sprof_proc_syscall *call);

/*
 * At a ptrace-stop, with the registers read there: makes the kernel restart a call that is about to
 * end with EINTR, unless a signal handler runs, exactly as it does for the calls that it restarts by
 * itself.
 *
 * A call with a time-out starts over. That does no harm if it has only just begun (`is_young`). If not,
 * the thread keeps in mind when its time would have been over, and the call is ended then: at the next
 * signal, or at a stop that sprof_restart_is_overdue() asks for. So it takes longer by what it had
 * waited before the first signal and before the sampler saw it asleep, and by a tick at the end.
 */
void sprof_restart_repair(
	struct sprof_thread *thread, const struct sprof_regs *regs, bool is_young);

/* At a stop that ends the call without a tracer too. */
void sprof_restart_undo(struct sprof_thread *thread, const struct sprof_regs *regs);

/*
 * sprof is about to leave: a call that was begun again is overdue now, and ends with EINTR, for it would go
 * on for all of its time-out once more.
 */
void sprof_restart_give_up(struct sprof_thread *thread);

/* Whether the thread should be stopped, because it waits in a call that was begun again for too long. */
bool sprof_restart_is_overdue(struct sprof_thread *thread, uint64_t now_ns);

#endif
