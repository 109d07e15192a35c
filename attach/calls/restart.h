/*
 * Repairs system calls that would fail with EINTR because of a ptrace-stop.
 *
 * After a stop, the kernel restarts most calls with the rest of their timeout. Some are not
 * restarted (signal(7), "Interruption of system calls and library functions by stop signals";
 * ptrace(2), BUGS): the program would see an EINTR that does not occur without a tracer.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "attach/calls/rewinds.h"
#include "attach/regs/regs.h"

/*
 * At a ptrace-stop, with the registers read there: makes the kernel restart a call that is about to
 * end with EINTR, unless a signal handler runs, exactly as for calls that the kernel restarts
 * itself. A call with a timeout starts over, so it is repaired only if `timed_too` (the caller
 * knows that the call has only just begun).
 *
 * A call that the kernel would continue through restart_syscall(2) also starts over if the thread
 * has a seccomp filter, which may deny that call.
 */
struct sprof_restart {
	bool timed_too;
	bool is_filtered; /* one of its filters is sprof's, which allows restart_syscall(2) */
	int signal;       /* signal delivered at this stop; 0: none */
	struct sprof_rewinds *rewinds; /* of the thread */
};

/* Whether the program has installed a seccomp filter. */
bool sprof_restart_has_filter(pid_t tid, bool is_filtered);

/* Whether a call with these arguments lasts as long after a stop as without one. Sockets are
 * assumed to have no timeout. */
bool sprof_restart_is_exact(int64_t number, const uint64_t arguments[6]);

/* Returns true if the call, which returned EINTR, restarts. */
bool sprof_restart_repair(
	pid_t tid, const struct sprof_regs *regs, const struct sprof_restart *how);
