/*
 * Restarting system calls. Knows which calls end with EINTR and where each keeps its time-out; how a
 * restart is asked for is the machine's matter (regs-<machine>.c).
 */
#include "attach/restart.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	RING_EXTENDED_ARGUMENT = 1 << 3, /* IORING_ENTER_EXT_ARG */
};

enum timeout_kind {
	TIMEOUT_NONE,    /* the call waits without end */
	TIMEOUT_MS,      /* an int; negative: without end */
	TIMEOUT_POINTER, /* to a timespec; NULL: without end */
	TIMEOUT_SOCKET,  /* SO_RCVTIMEO, SO_SNDTIMEO: only with one does the kernel say EINTR */
	TIMEOUT_SOCKETS, /* the same, where either end may be one */
	TIMEOUT_RING,    /* flags of io_uring_enter(2): without the extended argument there is none */
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

/* Restarted by the kernel whatever their arguments are. */
static const int64_t restarted_calls[] = {
	SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_ppoll, SYS_pselect6, SYS_wait4,
	SYS_waitid, SYS_rt_sigsuspend, SYS_restart_syscall, SYS_flock, SYS_fcntl, SYS_openat,
	SYS_msgrcv, SYS_msgsnd,
#ifdef SYS_poll
	SYS_poll, SYS_select, SYS_pause,
#endif
};

/* No signal ends these before they are done (but a fatal one), so neither does a stop. */
static const int64_t unbroken_calls[] = {
	SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_msync, SYS_syncfs, SYS_sync, SYS_clone,
	SYS_clone3,
#ifdef SYS_vfork
	SYS_vfork,
#endif
};

static bool is_among(const int64_t *calls, size_t count, int64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (calls[i] == number)
			return true;
	}
	return false;
}

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

static bool is_restarted(int64_t number)
{
	return is_among(restarted_calls, sizeof(restarted_calls) / sizeof(*restarted_calls), number);
}

bool sprof_restart_is_unneeded(const struct sprof_proc_syscall *call)
{
	return call->kind == SPROF_PROC_SYSCALL_OUTSIDE ||
		(call->kind == SPROF_PROC_SYSCALL_INSIDE &&
			is_among(unbroken_calls, sizeof(unbroken_calls) / sizeof(*unbroken_calls),
				call->number));
}

/* Sockets may have a time-out that can't be seen from outside. */
static bool is_socket(pid_t pid, uint64_t descriptor)
{
	char path[64], link[16];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, (int)descriptor);
	length = readlink(path, link, sizeof(link));
	return length < 7 || !memcmp(link, "socket:", 7);
}

bool sprof_restart_is_harmless(pid_t pid, const struct sprof_proc_syscall *call)
{
	const struct eintr_call *known;

	if (call->kind != SPROF_PROC_SYSCALL_INSIDE)
		return false;
	if (is_restarted(call->number))
		return true;
	known = find(call->number);
	if (!known)
		return false;
	if (known->kind == TIMEOUT_SOCKET)
		return !is_socket(pid, call->arguments[0]);
	return sprof_regs_can_restart() && is_endless(known, call->arguments);
}

void sprof_restart_repair(pid_t tid, const struct sprof_regs *regs, bool timed_too)
{
	const struct eintr_call *call;
	uint64_t arguments[6];

	if (!sprof_regs_was_interrupted(regs))
		return;
	call = find(regs->system_call);
	if (!call)
		return;
	sprof_regs_arguments(regs, arguments);
	if (timed_too || is_endless(call, arguments))
		sprof_regs_restart(tid);
}
