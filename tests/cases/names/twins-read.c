/* The first of two functions that are called helper(). */

#include "tests/cases/names/twins.h"

#line 51
static __attribute__((noinline)) void helper(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		twins_sum += i * i;
}

void read_all(unsigned long count)
{
	helper(count);
	twins_sum++;
}
