/*
 * Whether the kernel still shows the first argument of a call that a stop has broken off: stops a child in
 * epoll_pwait(2), says that it is in this call, and reads /proc/PID/syscall. Only aarch64 has the question.
 */
#include "tests/ptrace/kernel.h"

#if defined(__aarch64__)
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	abort();
}

static _Noreturn void wait_in_child(int epoll)
{
	struct epoll_event event;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (epoll_pwait(epoll, &event, 1, -1, NULL) < 0)
		;
	_exit(0);
}

/* False: it is in no such call now. */
static bool read_first_argument(pid_t child, long *ret)
{
	char path[64];
	long number;
	FILE *file;
	bool is_read;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)child);
	file = fopen(path, "r");
	require(file, path);
	is_read = fscanf(file, "%ld %li", &number, ret) == 2 && number == SYS_epoll_pwait;
	fclose(file);
	return is_read;
}

static void wait_for_stop(pid_t child)
{
	int status;

	require(waitpid(child, &status, __WALL) == child && WIFSTOPPED(status), "waitpid");
}

/* Whether it stands at the stop before this call. */
static bool is_about_to_wait(pid_t child)
{
	struct __ptrace_syscall_info call;

	require(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(call), &call) > 0,
		"PTRACE_GET_SYSCALL_INFO");
	return call.op == PTRACE_SYSCALL_INFO_ENTRY && call.entry.nr == SYS_epoll_pwait;
}

/* The call that it comes to next ends at once, because an interrupt is pending. */
static void stop(pid_t child)
{
	require(!ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACESYSGOOD), "PTRACE_SEIZE");
	require(!ptrace(PTRACE_INTERRUPT, child, 0, 0), "PTRACE_INTERRUPT");
	wait_for_stop(child);
	while (!is_about_to_wait(child)) {
		require(!ptrace(PTRACE_SYSCALL, child, 0, 0), "PTRACE_SYSCALL");
		wait_for_stop(child);
	}
	require(!ptrace(PTRACE_INTERRUPT, child, 0, 0), "PTRACE_INTERRUPT");
	require(!ptrace(PTRACE_CONT, child, 0, 0), "PTRACE_CONT");
	wait_for_stop(child);
}

bool kernel_hides_first_argument(void)
{
	int number = SYS_epoll_pwait, epoll = epoll_create1(EPOLL_CLOEXEC);
	struct iovec vector = {.iov_base = &number, .iov_len = sizeof(number)};
	const pid_t child = fork();
	long argument = -1;

	require(epoll >= 0 && child >= 0, "epoll_create1, fork");
	if (!child)
		wait_in_child(epoll);
	stop(child);
	require(!ptrace(PTRACE_SETREGSET, child, NT_ARM_SYSTEM_CALL, &vector),
		"NT_ARM_SYSTEM_CALL");
	require(read_first_argument(child, &argument), "/proc/PID/syscall");
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	close(epoll);
	return argument != epoll;
}
#else
bool kernel_hides_first_argument(void)
{
	return false;
}
#endif
