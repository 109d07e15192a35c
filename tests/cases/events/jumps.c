/* 20 calls of work(). longjmp(3) leaves 10 of them, and the program continues right after the call. */

#include <setjmp.h>

static jmp_buf place;

__attribute__((noinline, noclone)) void work(int number)
{
	if (number % 2)
		longjmp(place, 1);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	for (volatile int i = 0; i < 20; i++)
		if (!setjmp(place))
			work(i);
	return 0;
}
