/*
 * Repairs system calls that a ptrace-stop would make fail with EINTR.
 *
 * After a stop, the kernel restarts most calls with the rest of their time-out. Some are not
 * restarted (signal(7), "Interruption of system calls and library functions by stop signals";
 * ptrace(2), BUGS): the program would see an EINTR that it never sees without a tracer.
 */
#ifndef SPROF_ATTACH_RESTART_H
#define SPROF_ATTACH_RESTART_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/regs.h"
#include "attach/rewinds.h"

/*
 * At a ptrace-stop, with the registers read there: makes the kernel restart a call that is about to
 * end with EINTR, unless a signal handler runs, exactly as for the calls that the kernel restarts
 * itself. A call with a time-out starts over, so it is repaired only if `timed_too` (the caller
 * knows that the call has only just begun).
 *
 * A call that the kernel would continue through restart_syscall(2) also starts over if the thread
 * has a seccomp filter, which may forbid that call.
 */
struct sprof_restart {
	bool timed_too;
	bool is_filtered; /* one of its filters is ours, which allows restart_syscall(2) */
	int signal;       /* that comes with this stop; 0: none */
	struct sprof_rewinds *rewinds; /* of the thread */
};

/* Whether the program has a seccomp filter of its own. */
bool sprof_restart_has_filter(pid_t tid, bool is_filtered);

/* True: the call, which returned EINTR, begins again. */
bool sprof_restart_repair(
	pid_t tid, const struct sprof_regs *regs, const struct sprof_restart *how);

#endif
