/*
 * Two coroutines in turns: body() of each calls yields() 5 times, and step() is called 12 times beside them.
 */
#include <ucontext.h>

#include "tests/targets/target.h"

enum { COROUTINES = 2, YIELDS = 5, STACK_SIZE = 64 * 1024 };

static ucontext_t scheduler, coroutines[COROUTINES];
static volatile int running, result;

MEASURED static void yields(void)
{
	swapcontext(&coroutines[running], &scheduler);
	result = 0;
}

MEASURED static void body(void)
{
	for (int i = 0; i < YIELDS; i++)
		yields();
	result = 0;
}

MEASURED static void step(void)
{
	result = 1;
}

static void run_coroutines(void)
{
	static char stacks[COROUTINES][STACK_SIZE];

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack = (stack_t){.ss_sp = stacks[i], .ss_size = STACK_SIZE};
		coroutines[i].uc_link = &scheduler;
		makecontext(&coroutines[i], body, 0);
	}
	for (int i = 0; i < COROUTINES * (YIELDS + 1); i++) {
		running = i % COROUTINES;
		swapcontext(&scheduler, &coroutines[running]);
		step();
	}
}

int main(int argc, char *argv[])
{
	run_coroutines();
	return 7;
}
