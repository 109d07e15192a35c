/* A call through a bad pointer: to nowhere, or to data with WHERE=data. The handler of SIGSEGV waits, on an own stack with -DOWN_STACK. */

#include "tests/cases/ready.h"

#include <signal.h>

#ifndef TARGET
#define TARGET NULL
#endif

static long data = 5;

static void on_fault(int number)
{
	(void)number;
	say_ready();
	for (;;)
		pause();
}

APART void call_it(void (*volatile function)(void))
{
	function();
	data++;
}

APART void ask_for_it(void *function)
{
	call_it((void (*)(void))function);
	data++;
}

int main(void)
{
	static char own[1 << 16];
	stack_t stack = {.ss_sp = own, .ss_size = sizeof(own)};
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};

#ifdef OWN_STACK
	if (sigaltstack(&stack, NULL))
		return 1;
#else
	(void)stack;
#endif
	if (sigaction(SIGSEGV, &action, NULL))
		return 1;
	ask_for_it(TARGET);
	return 0;
}
