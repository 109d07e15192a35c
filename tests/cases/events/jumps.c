/* 20 calls of work(), of which 10 are left by longjmp(3): right behind the call the program goes on. */

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
