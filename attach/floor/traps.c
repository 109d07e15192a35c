/*
 * Lets a child hit its own breakpoint instructions and handles the stops as the loop does, without
 * the additional latency of a loaded machine.
 */
#include "attach/floor/traps.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "attach/regs/regs.h"
#include "base/clock.h"
#include "base/cpu-set.h"
#include "base/numbers.h"
#include "base/proc.h"

enum { STOPS = 200 };

struct child {
	pid_t pid;
	int schedstat; /* -1: there is none */
};

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

/*
 * Waits for a stop by a signal, as the loop does: sending it is part of what the thread runs.
 * Returns false if the child is gone.
 */
static bool await_stop(pid_t child, siginfo_t *ret)
{
	const int how = WSTOPPED | WEXITED | WNOWAIT | __WALL | WNOHANG;
	const struct timespec patience = {.tv_sec = 1};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (;;) {
		ret->si_pid = 0;
		if (waitid(P_PID, (id_t)child, ret, how))
			return false;
		if (ret->si_pid)
			return ret->si_code == CLD_TRAPPED;
		if (sigtimedwait(&signals, NULL, &patience) < 0 && errno != EINTR)
			return false;
	}
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

/* CPU time so far; 0: unknown. */
static uint64_t cpu_ns(const struct child *child)
{
	struct sprof_proc_schedstat figures;
	char text[128];
	const ssize_t length = pread(child->schedstat, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return 0;
	text[length] = '\0';
	return sprof_proc_parse_schedstat(text, &figures) ? figures.cpu_ns : 0;
}

static uint64_t median(uint64_t values[STOPS])
{
	qsort(values, STOPS, sizeof(values[0]), sprof_compare_uint64);
	return values[STOPS / 2];
}

/* The first stop is not one of many. */
static struct sprof_trap_cost measure(const struct child *child)
{
	uint64_t gaps[STOPS + 1], ran[STOPS + 1], resumed_ns = 0, before = 0;
	siginfo_t info;

	for (int i = 0; i <= STOPS; i++) {
		uint64_t now;

		if (!await_stop(child->pid, &info))
			return (struct sprof_trap_cost){0};
		gaps[i] = sprof_clock_now_ns() - resumed_ns;
		now = cpu_ns(child);
		ran[i] = now - before;
		before = now;
		resumed_ns = sprof_clock_now_ns();
		if (!resume(child->pid, &info))
			return (struct sprof_trap_cost){0};
	}
	return (struct sprof_trap_cost){.gap_ns = median(gaps + 1), .cpu_ns = median(ran + 1)};
}

static void measure_child(struct child *child, const struct sprof_cpu_set *where, int gate,
	struct sprof_trap_cost *ret)
{
	child->schedstat =
		open(sprof_proc_path(child->pid, 0, "schedstat").text, O_RDONLY | O_CLOEXEC);
	if (!ptrace(PTRACE_SEIZE, child->pid, 0, 0) && sprof_cpu_set_confine(child->pid, where) &&
		write(gate, "", 1) == 1)
		*ret = measure(child);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, __WALL);
	if (child->schedstat >= 0)
		close(child->schedstat);
}

/* The cost for a child that runs on these CPUs. */
static struct sprof_trap_cost cost_on(const struct sprof_cpu_set *where)
{
	struct sprof_trap_cost cost = {0};
	struct child child = {0};
	int ends[2];

	if (pipe(ends))
		return cost;
	child.pid = fork();
	if (!child.pid)
		child_run(ends);
	if (child.pid > 0)
		measure_child(&child, where, ends[1], &cost);
	close(ends[0]);
	close(ends[1]);
	return cost;
}

static struct sprof_trap_floor measure_both(void)
{
	struct sprof_trap_floor floor = {0};
	const struct sprof_cpu_set one = sprof_cpu_set_only(sched_getcpu());
	struct sprof_cpu_set allowed, others;

	if (!sprof_cpu_set_of(0, &allowed) || !sprof_cpu_set_confine(0, &one))
		return floor;
	others = sprof_cpu_set_without(&allowed, &one);
	floor.here = cost_on(&one);
	floor.elsewhere = sprof_cpu_set_count(&others) ? cost_on(&others) : floor.here;
	sprof_cpu_set_confine(0, &allowed);
	return floor;
}

struct sprof_trap_floor sprof_trap_floor(void)
{
	struct sprof_trap_floor floor;
	sigset_t signals, before;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	floor = measure_both();
	while (sigtimedwait(&signals, NULL, &(struct timespec){0}) == SIGCHLD)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return floor;
}
