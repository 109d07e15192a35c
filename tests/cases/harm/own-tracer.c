/* The program traces its own child, as a debugger does. */

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

int main(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(3);
		raise(SIGSTOP);
		_exit(work(6));
	}
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
		return 9;
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 42 : 8;
}
