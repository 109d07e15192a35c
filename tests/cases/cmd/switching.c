/* Sends its parent, sprof, the signal that switches sampling, and makes 10 calls of work(). */

#include <signal.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

int main(void)
{
	int sum = 0;

	kill(getppid(), SIGUSR2);
	for (int i = 0; i < 10; i++)
		sum += work(i);
	return sum != 55;
}
