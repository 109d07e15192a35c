/*
 * A tracer with a tracee: forks a child, seizes it with ptrace(2), and says the child's pid, so
 * that somebody else finds it already traced. Lets it go on, and ends it, when stdin closes.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

int main(int argc, char *argv[])
{
	pid_t child;

	target_init(&argc, argv);
	child = fork();
	if (child == 0) {
		for (;;)
			pause();
	}
	if (child < 0 || ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_EXITKILL) < 0)
		target_fail("seize the child");
	target_ready("%d", (int)child);
	target_wait_for_end();
	kill(child, SIGKILL);
	return waitpid(child, NULL, __WALL) == child ? 0 : 1;
}
