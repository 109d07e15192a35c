/*
 * Lets a child come to breakpoint instructions of its own and takes their stops as the loop does. Does
 * not handle what else a loaded machine adds.
 */
#include "attach/trap-floor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/regs.h"
#include "base/clock.h"

enum { STOPS = 200 };

/* It ends with its parent. */
static void __attribute__((noreturn)) child_run(const int ends[2])
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		_exit(1);
	for (;;)
		SPROF_TRAP;
}

/* Waits for a stop as the loop does. False: the child is gone. */
static bool await_stop(pid_t child, siginfo_t *ret)
{
	while (waitid(P_PID, (id_t)child, ret, WSTOPPED | WEXITED | WNOWAIT | __WALL)) {
		if (errno != EINTR)
			return false;
	}
	return ret->si_code == CLD_TRAPPED;
}

static bool resume(pid_t child, const siginfo_t *info)
{
	struct sprof_regs regs;

	if (!sprof_regs_read(child, &regs))
		return false;
	if (info->si_status == SIGTRAP)
		sprof_regs_move(child,
			regs.values[SPROF_REG_PC] + SPROF_TRAP_INSTRUCTION - SPROF_TRAP_SIZE);
	return !ptrace(PTRACE_CONT, child, 0, 0);
}

static uint64_t measure(pid_t child)
{
	uint64_t least_ns = UINT64_MAX, resumed_ns = 0;
	siginfo_t info;

	for (int i = 0; i < STOPS; i++) {
		uint64_t gap_ns;

		if (!await_stop(child, &info))
			return 0;
		gap_ns = sprof_clock_now_ns() - resumed_ns;
		if (i && gap_ns < least_ns)
			least_ns = gap_ns;
		if (!resume(child, &info))
			return 0;
		resumed_ns = sprof_clock_now_ns();
	}
	return least_ns;
}

uint64_t sprof_trap_floor_ns(void)
{
	uint64_t floor_ns = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return 0;
	child = fork();
	if (!child)
		child_run(ends);
	if (child > 0 && !ptrace(PTRACE_SEIZE, child, 0, 0) && write(ends[1], "", 1) == 1)
		floor_ns = measure(child);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, __WALL);
	}
	close(ends[0]);
	close(ends[1]);
	return floor_ns;
}
