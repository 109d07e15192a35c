/* gcc realigns a frame of variable size by a register of its own: CFA = *(rbp - 8). It computes below, or sleeps with -DSLEEPS. */

#include "tests/cases/ready.h"

#include <alloca.h>

#ifndef ALIGNMENT
#define ALIGNMENT 64
#endif
#ifndef ENTRY
#define ENTRY
#endif

static volatile long sum;
static char *volatile kept;

APART void leaf(void)
{
	say_ready();
	for (;;)
#ifdef SLEEPS
		pause();
#else
		sum++;
#endif
}

APART void realigned(unsigned long size)
{
	_Alignas(ALIGNMENT) volatile char aligned[256];

	kept = alloca(size % 1000 + 16);
	aligned[3] = 1;
	leaf();
	sum += aligned[3] + kept[0];
}

APART ENTRY void outer(unsigned long size)
{
	realigned(size);
	sum++;
}

APART void caller(unsigned long size)
{
	outer(size);
	sum++;
}

int main(int argc, char **argv)
{
	(void)argv;
	caller((unsigned long)argc * 777);
	return 0;
}
