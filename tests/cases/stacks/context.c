/* A stack of makecontext(), with more arguments than registers: its outermost function is where the stack ends. */

#include "tests/cases/ready.h"

#include <ucontext.h>

static ucontext_t back, coroutine;

static void in_coroutine(int a, int b, int c, int d, int e, int f, int g)
{
	(void)(a + b + c + d + e + f + g);
	say_ready();
	for (;;)
		pause();
}

int main(void)
{
	static char stack[1 << 16];

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &back;
	makecontext(&coroutine, (void (*)(void))in_coroutine, 7, 1, 2, 3, 4, 5, 6, 7);
	return swapcontext(&back, &coroutine);
}
