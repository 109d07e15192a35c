/* Children that their clone() keeps from any tracer (CLONE_UNTRACED) call work(), too. */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		long child = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
		int status;

		if (child == 0)
			_exit(work(6));
		if (work(i) != i + 1 || wait(&status) != child || !WIFEXITED(status) ||
			WEXITSTATUS(status) != 7)
			return 9;
	}
	return 42;
}
