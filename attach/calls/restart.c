/*
 * Restarts system calls: which calls end with EINTR, and where each keeps its timeout. Does not
 * handle how to request a restart (attach/regs/), nor calls that end early with part of their
 * work done. tests/ptrace/test-calls.c shows what a stop does to each call.
 */
#include "attach/calls/restart.h"

#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/proc-status.h"

enum {
	RING_EXTENDED_ARGUMENT = 1 << 3, /* IORING_ENTER_EXT_ARG */
};

enum timeout_kind {
	TIMEOUT_NONE,    /* the call waits without end */
	TIMEOUT_MS,      /* an int; negative: without end */
	TIMEOUT_POINTER, /* to a timespec; NULL: without end */
	TIMEOUT_SOCKET,  /* SO_RCVTIMEO, SO_SNDTIMEO: without one, the kernel does not return
			    EINTR */
	TIMEOUT_SOCKETS, /* as TIMEOUT_SOCKET, but either end may be a socket */
	/* flags of io_uring_enter(2): no time-out without the extended argument */
	TIMEOUT_RING,
};

static const struct eintr_call {
	int64_t number;
	enum timeout_kind kind;
	unsigned argument;
} eintr_calls[] = {
#ifdef SYS_epoll_wait
	{SYS_epoll_wait, TIMEOUT_MS, 3},
#endif
	{SYS_epoll_pwait, TIMEOUT_MS, 3},
#ifdef SYS_epoll_pwait2
	{SYS_epoll_pwait2, TIMEOUT_POINTER, 3},
#endif
	{SYS_semop, TIMEOUT_NONE, 0},
	{SYS_semtimedop, TIMEOUT_POINTER, 3},
	{SYS_rt_sigtimedwait, TIMEOUT_POINTER, 2},
	{SYS_io_getevents, TIMEOUT_POINTER, 4},
	{SYS_recvmmsg, TIMEOUT_SOCKET, 0},
	{SYS_recvfrom, TIMEOUT_SOCKET, 0},
	{SYS_recvmsg, TIMEOUT_SOCKET, 0},
	{SYS_sendto, TIMEOUT_SOCKET, 0},
	{SYS_sendmsg, TIMEOUT_SOCKET, 0},
	{SYS_accept, TIMEOUT_SOCKET, 0},
	{SYS_accept4, TIMEOUT_SOCKET, 0},
	{SYS_connect, TIMEOUT_SOCKET, 0},
	{SYS_read, TIMEOUT_SOCKET, 0},
	{SYS_readv, TIMEOUT_SOCKET, 0},
	{SYS_write, TIMEOUT_SOCKET, 0},
	{SYS_writev, TIMEOUT_SOCKET, 0},
	{SYS_preadv2, TIMEOUT_SOCKET, 0},
	{SYS_pwritev2, TIMEOUT_SOCKET, 0},
	{SYS_sendmmsg, TIMEOUT_SOCKET, 0},
	{SYS_sendfile, TIMEOUT_SOCKET, 0},
	{SYS_splice, TIMEOUT_SOCKETS, 0},
#ifdef SYS_io_uring_enter
	{SYS_io_uring_enter, TIMEOUT_RING, 3},
#endif
};

static const struct eintr_call *find(int64_t number)
{
	for (size_t i = 0; i < sizeof(eintr_calls) / sizeof(eintr_calls[0]); i++) {
		if (eintr_calls[i].number == number)
			return &eintr_calls[i];
	}
	return NULL;
}

static bool is_endless(const struct eintr_call *call, const uint64_t arguments[6])
{
	switch (call->kind) {
	case TIMEOUT_NONE:
		return true;
	case TIMEOUT_MS:
		return (int32_t)arguments[call->argument] < 0;
	case TIMEOUT_POINTER:
		return !arguments[call->argument];
	case TIMEOUT_RING:
		return !(arguments[call->argument] & RING_EXTENDED_ARGUMENT);
	case TIMEOUT_SOCKET:
	case TIMEOUT_SOCKETS:
		break;
	}
	return false;
}

bool sprof_restart_is_exact(int64_t number, const uint64_t arguments[6])
{
	const struct eintr_call *call = find(number);

	return !call || call->kind == TIMEOUT_SOCKET || call->kind == TIMEOUT_SOCKETS ||
		is_endless(call, arguments);
}

/*
 * A program never calls restart_syscall(2) itself, so its filter may forbid this call, and may kill
 * the program. A filter can't be read without CAP_SYS_ADMIN (ptrace(2), PTRACE_SECCOMP_GET_FILTER).
 * If in doubt, assume a filter.
 */
bool sprof_restart_has_filter(pid_t tid, bool is_filtered)
{
	long mode, count;

	/* "Seccomp_filters" since Linux 5.9 (fs/proc/array.c, task_seccomp). */
	if (is_filtered && sprof_proc_status_read_number(tid, "Seccomp_filters", &count))
		return count > 1;
	return !sprof_proc_status_read_number(tid, "Seccomp", &mode) || mode == SECCOMP_MODE_FILTER;
}

/*
 * If the kernel has decided before the stop: whether a handler determines what happens to the call,
 * now or when it returns.
 */
static bool belongs_to_handler(
	pid_t tid, const struct sprof_regs *regs, const struct sprof_restart *how)
{
	struct sprof_regs_place place;

	if (!how->signal || !sprof_proc_has_handler(tid, how->signal))
		return sprof_regs_was_interrupted(regs) && !sprof_rewinds_allow(how->rewinds, regs);
	if (sprof_rewinds_handle(how->rewinds, regs, &place))
		sprof_regs_place(tid, &place);
	return true;
}

static bool begin_anew(pid_t tid, const struct sprof_regs *regs, const struct sprof_restart *how)
{
	struct sprof_regs_place place = {0};

	if (!sprof_regs_restart(tid, regs, &place))
		return false;
	sprof_rewinds_note(how->rewinds, regs, &place);
	return true;
}

bool sprof_restart_repair(pid_t tid, const struct sprof_regs *regs, const struct sprof_restart *how)
{
	const struct eintr_call *call;
	uint64_t arguments[6];

	if (!sprof_regs_kernel_restarts() && belongs_to_handler(tid, regs, how))
		return false;
	if (sprof_regs_has_restart_block(regs) && sprof_restart_has_filter(tid, how->is_filtered))
		(void)begin_anew(tid, regs, how);
	if (!sprof_regs_was_interrupted(regs))
		return false;
	call = find(regs->system_call);
	if (!call)
		return false;
	sprof_regs_arguments(regs, arguments);
	if (!how->timed_too && !is_endless(call, arguments))
		return false;
	return begin_anew(tid, regs, how);
}
