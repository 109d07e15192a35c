/* The second one; its lines are others than those of twins-read.c. */

#include "tests/cases/names/twins.h"

#line 101
static __attribute__((noinline)) void helper(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		twins_sum += i ^ 3;
}

void write_all(unsigned long count)
{
	helper(count);
	twins_sum++;
}
