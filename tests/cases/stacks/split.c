/* A stack in pieces (-fsplit-stack): deep() goes on in another piece, by __morestack. */

#include "tests/cases/ready.h"

static volatile long sum;

APART int deep(int depth)
{
	volatile char room[3000];

	room[depth] = 1;
	if (depth == 0) {
		say_ready();
		for (;;)
			sum++;
	}
	return deep(depth - 1) + room[depth];
}

APART int start(int depth)
{
	return deep(depth) + (int)sum;
}

int main(void)
{
	return start(12);
}
