/*
 * The floor under every tracer of system calls that stops its target: two stops for each call, and
 * nothing else. Prints how long the calls took by the clock of the one that makes them, as JSON.
 *
 *     calls free|stopped N
 *
 * Makes N calls of getppid(2), which does next to nothing: free, or stopped by a parent that only
 * waits and continues. Does not choose a CPU: who starts it does.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void make_calls(long count)
{
	const uint64_t begin = now_ns();

	for (long i = 0; i < count; i++)
		syscall(SYS_getppid);
	printf("{\"elapsed_ns\": %llu}\n", (unsigned long long)(now_ns() - begin));
	fflush(stdout);
}

/* Returns the exit code of the child, which is stopped twice at each of its calls. */
static int continue_to_the_end(pid_t child)
{
	int status;

	while (waitpid(child, &status, __WALL) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_SYSCALL, child, 0, 0))
			return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int make_calls_stopped(long count)
{
	pid_t child = fork();

	if (child < 0)
		return 2;
	if (child)
		return continue_to_the_end(child);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(2);
	raise(SIGSTOP);
	make_calls(count);
	_exit(0);
}

int main(int argc, char *argv[])
{
	const long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (count <= 0)
		return 64;
	if (strcmp(argv[1], "stopped") == 0)
		return make_calls_stopped(count);
	if (strcmp(argv[1], "free") != 0)
		return 64;
	make_calls(count);
	return 0;
}
