/*
 * Measures the shortest latency that stops can show, without the additional latency of a loaded
 * machine.
 */
#include "attach/floor/floor.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { CALLS = 200 };

/* It exits even if its parent is gone. */
static void __attribute__((noreturn)) child_run(const int ends[2])
{
	char byte;

	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < 2 * CALLS; i++)
		syscall(SYS_getppid);
	_exit(0);
}

/* Waits for a stop as the loop does: looks at it, and asks which call it is of. */
static bool await_stop(pid_t child, struct __ptrace_syscall_info *ret)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)child, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL)) {
		if (errno != EINTR)
			return false;
	}
	return info.si_code == CLD_TRAPPED &&
		ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(*ret), ret) > 0;
}

/* The latency of the next call; 0: the child is gone. */
static uint64_t measure_call(pid_t child)
{
	struct __ptrace_syscall_info info;
	uint64_t begin_ns = 0;

	while (await_stop(child, &info)) {
		uint64_t now = sprof_clock_now_ns();

		if (info.op == PTRACE_SYSCALL_INFO_EXIT && begin_ns)
			return now - begin_ns;
		begin_ns = info.op == PTRACE_SYSCALL_INFO_ENTRY ? sprof_clock_now_ns() : 0;
		if (ptrace(PTRACE_SYSCALL, child, 0, 0))
			break;
	}
	return 0;
}

static uint64_t measure(pid_t child)
{
	uint64_t shortest_ns = UINT64_MAX;

	for (int i = 0; i < CALLS; i++) {
		const uint64_t ns = measure_call(child);

		if (!ns || ptrace(PTRACE_SYSCALL, child, 0, 0))
			return 0;
		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
	}
	return shortest_ns;
}

uint64_t sprof_call_floor_ns(void)
{
	uint64_t floor_ns = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return 0;
	child = fork();
	if (!child)
		child_run(ends);
	if (child > 0 && !ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACESYSGOOD) &&
		!ptrace(PTRACE_INTERRUPT, child, 0, 0) && write(ends[1], "", 1) == 1)
		floor_ns = measure(child);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, __WALL);
	}
	close(ends[0]);
	close(ends[1]);
	return floor_ns;
}
