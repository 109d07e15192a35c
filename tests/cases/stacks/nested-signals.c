/* A signal interrupts the handler of another one. Both run on an own stack, and the inner one waits. */

#include "tests/cases/ready.h"

#include <signal.h>

static volatile long sum;

static void second(int number)
{
	sum += number;
	say_ready();
	for (;;)
		pause();
}

static void first(int number)
{
	raise(SIGUSR2);
	sum += number;
}

APART void interrupted(void)
{
	raise(SIGUSR1);
	sum++;
}

int main(void)
{
	static char own[1 << 16];
	stack_t stack = {.ss_sp = own, .ss_size = sizeof(own)};
	struct sigaction outer = {.sa_handler = first, .sa_flags = SA_ONSTACK};
	struct sigaction inner = {.sa_handler = second, .sa_flags = SA_ONSTACK};

	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &outer, NULL) ||
		sigaction(SIGUSR2, &inner, NULL))
		return 1;
	interrupted();
	return 0;
}
