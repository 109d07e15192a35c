/* Calls a function in parts, of parts.S. */

#include "tests/cases/work.h"

void halves(void);

int main(void)
{
	while (has_work())
		halves();
	return 0;
}
