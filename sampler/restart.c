/*
 * The system calls that are restarted exactly. Not here, because they end with EINTR after a stop:
 * epoll_wait and epoll_pwait, semop and semtimedop, rt_sigtimedwait, io_getevents, and whatever may be
 * a socket with a time-out: read, write, accept, connect, send and receive.
 */
#include "sampler/restart.h"

#include <stddef.h>
#include <sys/syscall.h>

bool sprof_system_call_restarts(int64_t number)
{
	static const int64_t restarted[] = {
		SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_ppoll, SYS_pselect6, SYS_wait4,
		SYS_waitid, SYS_rt_sigsuspend, SYS_restart_syscall, SYS_flock, SYS_openat,
#ifdef SYS_poll
		SYS_poll, SYS_select, SYS_pause,
#endif
	};

	for (size_t i = 0; i < sizeof(restarted) / sizeof(restarted[0]); i++) {
		if (restarted[i] == number)
			return true;
	}
	return false;
}
