/* Leaves a daemon, which lives as long as the program's parent, sprof. */

#include <signal.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

int main(void)
{
	pid_t parent = getppid();

	if (fork() == 0) {
		close(0);
		close(1);
		close(2);
		setsid();
		while (kill(parent, 0) == 0)
			usleep(10000);
		_exit(0);
	}
	return work(0) != 1;
}
