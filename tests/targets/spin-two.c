/*
 * Two functions that share the CPU 3:1, by the amount of equal work they do and not by any clock,
 * for a given number of rounds (about 4 ms each) or, without one, until stdin closes.
 */
#include <poll.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define UNIT 1000000

static volatile uint64_t sink;

static MEASURED void spin_three(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 3 * UNIT; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

static MEASURED void spin_one(void)
{
	uint64_t x = sink;

	for (int i = 0; i < UNIT; i++)
		x = x * 6364136223846793005u + 3;
	sink = x;
}

static bool told_to_end(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) > 0;
}

static MEASURED void spin_round(void)
{
	spin_three();
	spin_one();
}

int main(int argc, char *argv[])
{
	long rounds;

	target_init(&argc, argv);
	rounds = target_number(argc, argv, 1, 0);
	target_ready("%d", (int)getpid());
	for (long i = 0; rounds != 0 ? i < rounds : !told_to_end(); i++)
		spin_round();
	return 0;
}
