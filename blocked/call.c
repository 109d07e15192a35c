/*
 * The table of blocking system calls, with the numbers of the machine that sprof is built for. Does
 * not handle 32-bit calls.
 */
#include "blocked/call.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#define IO SPROF_WAIT_KIND_IO
#define LOCK SPROF_WAIT_KIND_LOCK
#define TIME SPROF_WAIT_KIND_TIME
#define CHILD SPROF_WAIT_KIND_CHILD
#define EVENT SPROF_WAIT_KIND_EVENT
#define ARGUMENT(name) SPROF_BLOCKED_ARGUMENT_##name

static const struct sprof_blocked_call calls[] = {
	{SYS_futex, LOCK, ARGUMENT(FUTEX), 0},
	{SYS_read, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_readv, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_pread64, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_preadv, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_preadv2, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_write, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_writev, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_pwrite64, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_pwritev, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_pwritev2, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_recvfrom, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_recvmsg, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_recvmmsg, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_sendto, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_sendmsg, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_sendmmsg, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_accept, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_accept4, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_connect, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_sendfile, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_splice, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_copy_file_range, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_fsync, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_fdatasync, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_sync_file_range, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_syncfs, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_ftruncate, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_fallocate, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_getdents64, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_ioctl, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_sync, IO, ARGUMENT(NONE), 0},
	{SYS_openat, IO, ARGUMENT(PATH), 1},
	{SYS_unlinkat, IO, ARGUMENT(PATH), 1},
	{SYS_renameat2, IO, ARGUMENT(PATH), 1},
	{SYS_mkdirat, IO, ARGUMENT(PATH), 1},
	{SYS_newfstatat, IO, ARGUMENT(PATH), 1},
	{SYS_statx, IO, ARGUMENT(PATH), 1},
	{SYS_faccessat, IO, ARGUMENT(PATH), 1},
	{SYS_readlinkat, IO, ARGUMENT(PATH), 1},
	{SYS_execve, IO, ARGUMENT(PATH), 0},
	{SYS_close, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_readahead, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_vmsplice, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_tee, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_mq_timedreceive, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_mq_timedsend, IO, ARGUMENT(DESCRIPTOR), 0},
	{SYS_msync, IO, ARGUMENT(NONE), 0},
	{SYS_io_getevents, IO, ARGUMENT(NONE), 0},
	{SYS_io_uring_enter, IO, ARGUMENT(RING), 0},
	{SYS_epoll_pwait, EVENT, ARGUMENT(EPOLL), 0},
	{SYS_epoll_pwait2, EVENT, ARGUMENT(EPOLL), 0},
	{SYS_ppoll, EVENT, ARGUMENT(POLL), 0},
	{SYS_pselect6, EVENT, ARGUMENT(SELECT), 0},
	{SYS_rt_sigtimedwait, EVENT, ARGUMENT(NONE), 0},
	{SYS_rt_sigsuspend, EVENT, ARGUMENT(NONE), 0},
	{SYS_nanosleep, TIME, ARGUMENT(DURATION), 0},
	{SYS_clock_nanosleep, TIME, ARGUMENT(CLOCK), 1},
	{SYS_wait4, CHILD, ARGUMENT(CHILD), 0},
	{SYS_waitid, CHILD, ARGUMENT(WAITID), 0},
	{SYS_flock, LOCK, ARGUMENT(LOCK), 0},
	{SYS_fcntl, LOCK, ARGUMENT(FCNTL), 0},
	{SYS_semop, LOCK, ARGUMENT(IPC), 0},
	{SYS_semtimedop, LOCK, ARGUMENT(IPC), 0},
	{SYS_msgrcv, IO, ARGUMENT(IPC), 0},
	{SYS_msgsnd, IO, ARGUMENT(IPC), 0},
/* Older calls that newer machines lack. */
#ifdef SYS_poll
	{SYS_poll, EVENT, ARGUMENT(POLL), 0},
	{SYS_select, EVENT, ARGUMENT(SELECT), 0},
	{SYS_epoll_wait, EVENT, ARGUMENT(EPOLL), 0},
	{SYS_pause, EVENT, ARGUMENT(NONE), 0},
	{SYS_open, IO, ARGUMENT(PATH), 0},
	{SYS_unlink, IO, ARGUMENT(PATH), 0},
	{SYS_rename, IO, ARGUMENT(PATH), 0},
	{SYS_mkdir, IO, ARGUMENT(PATH), 0},
	{SYS_stat, IO, ARGUMENT(PATH), 0},
	{SYS_lstat, IO, ARGUMENT(PATH), 0},
	{SYS_access, IO, ARGUMENT(PATH), 0},
	{SYS_readlink, IO, ARGUMENT(PATH), 0},
	{SYS_vfork, CHILD, ARGUMENT(NONE), 0},
#endif
};

/* The same calls without a descriptor, and with a time-out. */
static const struct sprof_blocked_call sleeps[] = {
	{SYS_ppoll, TIME, ARGUMENT(DURATION), 2},
	{SYS_pselect6, TIME, ARGUMENT(DURATION), 4},
#ifdef SYS_poll
	{SYS_poll, TIME, ARGUMENT(MILLISECONDS), 2},
	{SYS_select, TIME, ARGUMENT(TIMEVAL), 4},
#endif
};

static const struct sprof_blocked_call *find_in(
	const struct sprof_blocked_call *table, size_t count, int64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (table[i].number == number)
			return &table[i];
	}
	return NULL;
}

/* select: the number of descriptors, or no set of them; poll: their number. */
static bool watches_nothing(enum sprof_blocked_argument argument, const uint64_t *from)
{
	if (argument == ARGUMENT(SELECT))
		return !(int)from[0] || (!from[1] && !from[2] && !from[3]);
	return argument == ARGUMENT(POLL) && !from[1];
}

/* Without a time-out, a signal ends it, as in pause(2). */
static bool ends_by_itself(const struct sprof_blocked_call *sleep, const uint64_t arguments[6])
{
	const uint64_t time = arguments[sleep->index];

	return sleep->argument == ARGUMENT(MILLISECONDS) ? (int)time >= 0 : time;
}

const struct sprof_blocked_call *sprof_blocked_call_find(
	int64_t number, const uint64_t arguments[6])
{
	static const struct sprof_blocked_call other = {
		-1, SPROF_WAIT_KIND_OTHER, ARGUMENT(NONE), 0};
	const struct sprof_blocked_call *sleep,
		*call = find_in(calls, sizeof(calls) / sizeof(calls[0]), number);

	if (!call)
		return &other;
	if (!watches_nothing(call->argument, arguments + call->index))
		return call;
	sleep = find_in(sleeps, sizeof(sleeps) / sizeof(sleeps[0]), number);
	return sleep && ends_by_itself(sleep, arguments) ? sleep : call;
}
