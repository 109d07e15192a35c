/*
 * The table of blocking system calls, with the numbers of the machine that sprof is built for. Does
 * not handle 32-bit calls.
 */
#include "blocked/call.h"

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
	{SYS_io_uring_enter, IO, ARGUMENT(DESCRIPTOR), 0},
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

const struct sprof_blocked_call *sprof_blocked_call_find(int64_t number)
{
	static const struct sprof_blocked_call other = {
		-1, SPROF_WAIT_KIND_OTHER, ARGUMENT(NONE), 0};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].number == number)
			return &calls[i];
	}
	return &other;
}
