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
 * itself. A call with a time-out starts over, so it is repaired only if `timed_too` (the caller knows
 * that it has only just begun).
 */
void sprof_restart_repair(pid_t tid, const struct sprof_regs *regs, bool timed_too);

#endif
