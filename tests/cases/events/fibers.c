/* As many coroutines as the first argument says are within yielding() at once; then each returns. SIZE: of a stack. */

#include <stdlib.h>
#include <ucontext.h>

static ucontext_t back, *coroutines;

__attribute__((noinline, noclone)) void yielding(int i)
{
	swapcontext(&coroutines[i], &back);
}

static void body(int i)
{
	yielding(i);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;

	coroutines = calloc((size_t)count, sizeof(*coroutines));
	for (int i = 0; i < count; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = malloc(SIZE);
		coroutines[i].uc_stack.ss_size = SIZE;
		coroutines[i].uc_link = &back;
		makecontext(&coroutines[i], (void (*)(void))body, 1, i);
		swapcontext(&back, &coroutines[i]);
	}
	for (int i = 0; i < count; i++)
		swapcontext(&back, &coroutines[i]);
	return 0;
}
