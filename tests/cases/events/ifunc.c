/* 50 calls of mine(), an IFUNC, and of strchr(), which is one of libc. */

#include <string.h>

static int fast(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 2;
}

static int (*choose(void))(int)
{
	return fast;
}

int mine(int number) __attribute__((ifunc("choose")));

int main(void)
{
	static char text[100] = "xxxxxxxxxxxxxxxxxxxxxxxxxxx";
	volatile long sum = 0;

	for (int i = 0; i < 50; i++)
		sum += mine(i) + (strchr(text, 'y') != NULL);
	return 0;
}
