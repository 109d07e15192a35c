/* Two builds of one program: -DFACTOR=2 makes another build id, and parse() is the same function. */

#include "tests/cases/work.h"

#ifndef FACTOR
#define FACTOR 1
#endif

static volatile unsigned long sum;

__attribute__((noinline, noclone)) void parse(unsigned long count)
{
	for (unsigned long i = 0; i < count * FACTOR; i++)
		sum += i * i;
}

__attribute__((noinline, noclone)) void emit(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		sum += i ^ 3;
}

int main(void)
{
	while (has_work()) {
		parse(100000);
		emit(100000);
	}
	return 0;
}
