/*
 * Allocates 3000 bytes in take_much() and 1000 in take_little(), again and again for 2 s of the clock,
 * and computes in between. Says how many turns it has made per second.
 *
 *     steady
 */
#include <stdlib.h>

#include "tests/targets/target.h"

enum { SPINS = 300000, MUCH = 3000, LITTLE = 1000 };

static const uint64_t lasts_ns = 2000000000;
static volatile unsigned spun;
static void *volatile kept;

MEASURED static void take_much(void)
{
	kept = malloc(MUCH);
	free(kept);
}

MEASURED static void take_little(void)
{
	kept = malloc(LITTLE);
	free(kept);
}

MEASURED static void compute(void)
{
	for (unsigned i = 0; i < SPINS; i++)
		spun += i;
}

int main(int argc, char *argv[])
{
	uint64_t begin, now;
	long turns = 0;

	target_init(&argc, argv);
	begin = now = target_now_ns();
	for (; now - begin < lasts_ns; now = target_now_ns(), turns++) {
		take_much();
		compute();
		take_little();
		compute();
	}
	target_print("%.1f", (double)turns * 1e9 / (double)(now - begin));
	return 7;
}
