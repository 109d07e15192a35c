/*
 * Restarting system calls. Knows which calls end with EINTR and where each keeps its time-out; how a
 * restart is asked for is the machine's matter (regs-<machine>.c).
 */
#include "attach/restart.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attach/memory.h"
#include "base/clock.h"

enum {
	LONGEST_S = 1000000000 /* of a time-out */
};

enum timeout_kind {
	TIMEOUT_NONE,    /* the call waits without end */
	TIMEOUT_MS,      /* an int; negative: without end */
	TIMEOUT_POINTER, /* to a timespec; NULL: without end */
	TIMEOUT_SOCKET,  /* SO_RCVTIMEO, SO_SNDTIMEO: only with one does the kernel say EINTR */
};

static const struct eintr_call {
	int64_t number;
	enum timeout_kind kind;
	unsigned argument;
	long timed_out; /* the result when the time is over; of a socket never asked for */
} eintr_calls[] = {
#ifdef SYS_epoll_wait
	{SYS_epoll_wait, TIMEOUT_MS, 3, 0},
#endif
	{SYS_epoll_pwait, TIMEOUT_MS, 3, 0},
#ifdef SYS_epoll_pwait2
	{SYS_epoll_pwait2, TIMEOUT_POINTER, 3, 0},
#endif
	{SYS_semop, TIMEOUT_NONE, 0, 0},
	{SYS_semtimedop, TIMEOUT_POINTER, 3, -EAGAIN},
	{SYS_rt_sigtimedwait, TIMEOUT_POINTER, 2, -EAGAIN},
	{SYS_io_getevents, TIMEOUT_POINTER, 4, 0},
	{SYS_recvmmsg, TIMEOUT_SOCKET, 0, 0},
	{SYS_recvfrom, TIMEOUT_SOCKET, 0, 0},
	{SYS_recvmsg, TIMEOUT_SOCKET, 0, 0},
	{SYS_sendto, TIMEOUT_SOCKET, 0, 0},
	{SYS_sendmsg, TIMEOUT_SOCKET, 0, 0},
	{SYS_accept, TIMEOUT_SOCKET, 0, 0},
	{SYS_accept4, TIMEOUT_SOCKET, 0, 0},
	{SYS_connect, TIMEOUT_SOCKET, 0, 0},
	{SYS_read, TIMEOUT_SOCKET, 0, 0},
	{SYS_readv, TIMEOUT_SOCKET, 0, 0},
	{SYS_write, TIMEOUT_SOCKET, 0, 0},
	{SYS_writev, TIMEOUT_SOCKET, 0, 0},
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
	case TIMEOUT_SOCKET:
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

/* False: it can't be seen from outside. */
static bool read_timeout(const struct sprof_thread *thread, const struct eintr_call *call,
	const uint64_t arguments[6], uint64_t *ret_ns)
{
	uint64_t argument = arguments[call->argument];
	struct timespec time;

	if (call->kind == TIMEOUT_MS) {
		*ret_ns = (uint64_t)(int32_t)argument * SPROF_NS_PER_MS;
		return true;
	}
	if (call->kind != TIMEOUT_POINTER ||
		sprof_memory_read(thread->process->pid, argument, &time, sizeof(time)) < sizeof(time))
		return false;
	*ret_ns = (uint64_t)time.tv_sec * SPROF_NS_PER_S + (uint64_t)time.tv_nsec;
	return time.tv_sec >= 0 && time.tv_sec < LONGEST_S;
}

/* When the call began, or somewhat later: where the signal was the first thing to wake the thread. */
static uint64_t begin_of(struct sprof_thread *thread, uint64_t now_ns)
{
	struct sprof_proc_schedstat schedstat;

	if (thread->asleep_ns && sprof_thread_read_schedstat(thread, &schedstat) &&
		schedstat.timeslices == thread->asleep_timeslices + 1)
		return thread->asleep_ns;
	return now_ns;
}

/* False: the program sees the EINTR. */
static bool find_end(struct sprof_thread *thread, const struct eintr_call *call,
	const struct sprof_regs *regs, const uint64_t arguments[6], uint64_t now_ns)
{
	struct sprof_begun_again *begun = &thread->begun_again;
	uint64_t timeout_ns;

	if (regs->begun_again && begun->end_ns)
		return true;
	if (!read_timeout(thread, call, arguments, &timeout_ns))
		return false;
	*begun = (struct sprof_begun_again){
		.end_ns = begin_of(thread, now_ns) + timeout_ns,
		.number = regs->system_call,
		.sp = regs->values[SPROF_REG_SP],
	};
	return true;
}

static void begin_again(struct sprof_thread *thread, const struct eintr_call *call,
	const struct sprof_regs *regs, const uint64_t arguments[6])
{
	uint64_t now_ns = sprof_clock_now_ns();

	if (regs->begun_again && thread->begun_again.given_up) {
		thread->begun_again.end_ns = 0;
		return;
	}
	if (!find_end(thread, call, regs, arguments, now_ns))
		return;
	if (now_ns < thread->begun_again.end_ns && sprof_regs_begin_again(thread->tid, regs))
		return;
	if (now_ns >= thread->begun_again.end_ns)
		sprof_regs_end_call(thread->tid, call->timed_out);
	thread->begun_again.end_ns = 0;
}

void sprof_restart_repair(
	struct sprof_thread *thread, const struct sprof_regs *regs, bool is_young)
{
	const struct eintr_call *call;
	uint64_t arguments[6];

	if (!sprof_regs_was_interrupted(regs))
		return;
	call = find(regs->system_call);
	if (!call)
		return;
	sprof_regs_arguments(regs, arguments);
	/* A thread that may have been stopped for being overdue may be in another call by now. */
	if (is_endless(call, arguments) || (is_young && !thread->begun_again.end_ns))
		sprof_regs_restart(thread->tid);
	else
		begin_again(thread, call, regs, arguments);
}

void sprof_restart_undo(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	/* Of these calls none is restarted without us. */
	if ((!sprof_regs_is_restarting(regs) && !sprof_regs_was_interrupted(regs)) ||
		!find(regs->system_call))
		return;
	thread->begun_again.end_ns = 0;
	sprof_regs_break_off(thread->tid, regs);
}

void sprof_restart_give_up(struct sprof_thread *thread)
{
	thread->begun_again.given_up = true;
}

bool sprof_restart_is_overdue(struct sprof_thread *thread, uint64_t now_ns)
{
	struct sprof_begun_again *begun = &thread->begun_again;
	struct sprof_proc_syscall call;

	if (!begun->end_ns || (now_ns < begun->end_ns && !begun->given_up))
		return false;
	if (!sprof_thread_read_syscall(thread, &call) || call.kind == SPROF_PROC_SYSCALL_RUNNING)
		return false; /* perhaps on its way back to sleep */
	if (call.kind == SPROF_PROC_SYSCALL_INSIDE && call.number == begun->number &&
		call.sp == begun->sp)
		return true;
	begun->end_ns = 0;
	return false;
}
