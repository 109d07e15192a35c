/* Two static functions have one name: each is of a file, and has the lines of it. */

#include "tests/cases/names/twins.h"

#include "tests/cases/work.h"

volatile unsigned long twins_sum;

int main(void)
{
	while (has_work()) {
		read_all(100000);
		write_all(100000);
	}
	return 0;
}
