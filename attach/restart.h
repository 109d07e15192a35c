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
 * At a ptrace-stop, with the registers read there: makes the kernel restart a call that is about to
 * end with EINTR, unless a signal handler runs, exactly as it does for the calls that it restarts by
 * itself. A call with a time-out starts over, so it is repaired only if `timed_too` (the caller knows
 * that it has only just begun).
 *
 * A call that the kernel would go on with through restart_syscall(2) starts over too if the thread has a
 * seccomp filter, which may not allow that call.
 */
void sprof_restart_repair(pid_t tid, const struct sprof_regs *regs, bool timed_too);

#endif
