/*
 * Calls turn() as often as its first argument says, which computes for as many steps as the second one
 * says, and calls twice() two times and once() one time. Says what they have counted: 5 a turn.
 *
 *     often TURNS STEPS
 */
#include "tests/targets/target.h"

static volatile long counted;
static volatile unsigned spun;

MEASURED static void twice(void)
{
	counted += 1;
}

MEASURED static void once(void)
{
	counted += 2;
}

MEASURED static void turn(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		spun += i;
	twice();
	once();
	twice();
	counted += 1;
}

int main(int argc, char *argv[])
{
	long turns;
	unsigned steps;

	target_init(&argc, argv);
	turns = target_number(argc, argv, 1, 0);
	steps = (unsigned)target_number(argc, argv, 2, 0);
	for (long i = 0; i < turns; i++)
		turn(steps);
	target_print("%ld", counted);
	return 7;
}
