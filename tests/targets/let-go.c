/*
 * Starts children that leave whoever traces them, and calls `hit` in them while and after they do: they come
 * to no stop, and to no end, but those that they ask for. Says of how many that is so. After each child the
 * program itself calls `hit` once. The ways, by argument:
 *
 *   traceme  the child asks to be traced by its parent
 *   vfork    the same from vfork(2): `true` is executed then
 *   seize    the child has two threads, and its parent traces one of them
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { ROUNDS = 50, CALLS = 100, CODE = 7, STOPS = 10 };

static MEASURED long hit(long x)
{
	return x + 1;
}

static void call(void)
{
	for (long x = 0; x < CALLS; x++) {
		if (hit(x) != x + 1)
			_exit(96);
	}
}

static bool ends_with(pid_t child, int code)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		WEXITSTATUS(status) == code;
}

static bool traceme(void)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		call();
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(98);
		call();
		raise(SIGSTOP);
		call();
		_exit(CODE);
	}
	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
		WSTOPSIG(status) == SIGSTOP && !ptrace(PTRACE_CONT, child, 0, 0) &&
		ends_with(child, CODE);
}

/* Its first stop is that of its exec. */
static bool vforked(void)
{
	static char name[] = "true";
	static char *argv[] = {name, NULL};
	const pid_t child = vfork();
	int status;

	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(98);
		call();
		execvp(name, argv);
		_exit(97);
	}
	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
		WSTOPSIG(status) == SIGTRAP && !ptrace(PTRACE_CONT, child, 0, 0) &&
		ends_with(child, 0);
}

static void *call_on(void *unused)
{
	for (;;)
		call();
	return NULL;
}

static _Noreturn void call_in_two_threads(int ready)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call_on, NULL) || write(ready, "", 1) != 1)
		_exit(95);
	call_on(NULL);
	_exit(94);
}

/* Each stop is one that was asked for. */
static bool stops_as_told(pid_t child)
{
	int status;

	for (int i = 0; i < STOPS; i++) {
		if (ptrace(PTRACE_INTERRUPT, child, 0, 0) || waitpid(child, &status, 0) != child ||
			status >> 16 != PTRACE_EVENT_STOP || ptrace(PTRACE_CONT, child, 0, 0))
			return false;
	}
	return true;
}

static bool seize(void)
{
	int ends[2], status;
	bool done;
	pid_t child;
	char byte;

	if (pipe(ends))
		return false;
	child = fork();
	if (!child)
		call_in_two_threads(ends[1]);
	done = read(ends[0], &byte, 1) == 1 && !ptrace(PTRACE_SEIZE, child, 0, 0) &&
		stops_as_told(child);
	kill(child, SIGKILL);
	close(ends[0]);
	close(ends[1]);
	return waitpid(child, &status, __WALL) == child && WIFSIGNALED(status) &&
		WTERMSIG(status) == SIGKILL && done;
}

int main(int argc, char *argv[])
{
	int right = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (!strcmp(argv[1], "traceme"))
			right += traceme();
		else if (!strcmp(argv[1], "vfork"))
			right += vforked();
		else
			right += seize();
		right -= hit(i) != i + 1;
	}
	target_print("%d of %d right", right, ROUNDS);
	return 0;
}
