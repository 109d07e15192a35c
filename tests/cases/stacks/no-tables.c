/* No unwind tables (-fno-asynchronous-unwind-tables): a frame that is realigned, below main(). */

#include "tests/cases/work.h"

#define APART __attribute__((noinline, noclone))

static volatile long sum;

APART void leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sum++;
}

APART void aligned(unsigned long number)
{
	_Alignas(32) volatile float numbers[64];

	numbers[number % 64] = 1;
	leaf();
	sum += (long)numbers[1];
}

APART void middle(unsigned long number)
{
	aligned(number);
	sum++;
}

int main(int argc, char **argv)
{
	(void)argv;
	while (has_work())
		middle((unsigned long)argc);
	return 0;
}
