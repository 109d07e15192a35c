/*
 * A small debugger: starts children and traces each at once, in one of the ways that there are, with
 * the words seize, attach, traceme or exec; says how many it got and how they ended.
 * With "none" it traces nobody, but imports ptrace() all the same; its children compute.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { ROUNDS = 100, CHILD_CODE = 5, SPIN_NS = 200 * 1000 * 1000 };

static const char *way;

static bool is_way(const char *name)
{
	return !strcmp(way, name);
}

static _Noreturn void wait_for_tracer(void)
{
	for (;;)
		pause();
}

static MEASURED void child_computes(void)
{
	uint64_t end = target_now_ns() + SPIN_NS;

	while (target_now_ns() < end)
		;
}

static _Noreturn void be_child(void)
{
	static char name[] = "true";
	char *argv[] = {name, NULL};

	if (is_way("none"))
		child_computes();
	if (is_way("none"))
		_exit(CHILD_CODE);
	if (is_way("seize") || is_way("attach"))
		wait_for_tracer();
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(98);
	if (!is_way("exec"))
		raise(SIGSTOP);
	else
		execvp("true", argv);
	_exit(CHILD_CODE);
}

/* Whether it is traced, and ended by its tracer. */
static bool trace(pid_t child)
{
	int status;

	if (is_way("seize") && ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_EXITKILL))
		return false;
	if (is_way("attach") && ptrace(PTRACE_ATTACH, child, 0, 0))
		return false;
	/* Of these two the first stop is waited for; seized ones don't stop. */
	if (!is_way("seize") && (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)))
		return false;
	return !kill(child, SIGKILL) && waitpid(child, &status, __WALL) == child &&
		WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static bool debug_once(void)
{
	pid_t child = fork();
	bool done;

	if (child == 0)
		be_child();
	done = child > 0 && trace(child);
	if (!done) {
		kill(child, SIGKILL);
		waitpid(child, NULL, __WALL);
	}
	return done;
}

static int let_compute(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		be_child();
	return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 97;
}

int main(int argc, char *argv[])
{
	int traced = 0;

	way = argc > 1 ? argv[1] : "none";
	if (is_way("none"))
		return let_compute();
	for (int i = 0; i < ROUNDS; i++)
		traced += debug_once();
	target_print("%d of %d traced", traced, ROUNDS);
	return 0;
}
