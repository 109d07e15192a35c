/* A static function that ThinLTO made known to other files: its name, NAME, has another number in each build. */

#include "tests/cases/work.h"

static volatile long sum;

__attribute__((noinline)) void promoted(void) __asm__(NAME);

void promoted(void)
{
	for (int i = 0; i < 100000; i++)
		sum++;
}

int main(void)
{
	while (has_work())
		promoted();
	return 0;
}
