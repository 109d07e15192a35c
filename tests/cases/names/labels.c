/* A stack that goes through assembly as NASM writes it. */

#include "tests/cases/ready.h"

void scan_all(void);

APART void ready_and_wait(void)
{
	say_ready();
	for (;;)
		pause();
}

int main(void)
{
	scan_all();
	return 0;
}
