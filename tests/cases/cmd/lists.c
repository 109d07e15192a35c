/* A variable whose place the debug information says by a list of locations. */

#include "tests/cases/ready.h"

static volatile long sum;

APART void stay(int count)
{
	int known = count + 41;

	say_ready();
	for (;;)
		sum += known;
}

int main(int argc, char **argv)
{
	(void)argv;
	stay(argc);
	return 0;
}
