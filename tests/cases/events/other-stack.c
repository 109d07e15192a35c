/* A handler on an alternate stack of SIZE bytes interrupts outer() 20 times and calls inner(). With -DABOVE, that stack is in main()'s frame. */

#include <signal.h>
#include <stddef.h>

#ifndef SIZE
#define SIZE (1 << 16)
#endif

static volatile int inner_calls, outer_calls;

__attribute__((noinline, noclone)) void inner(void)
{
	inner_calls++;
}

__attribute__((noinline, noclone)) void outer(void)
{
	raise(SIGUSR1);
	outer_calls++;
}

static void on_signal(int number)
{
	(void)number;
	inner();
}

int main(void)
{
#ifdef ABOVE
	char room[SIZE];
#else
	static char room[SIZE];
#endif
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++)
		outer();
	return inner_calls == 20 && outer_calls == 20 ? 0 : 1;
}
