/* A program of AddressSanitizer that leaks nothing; the check at its end needs that it may trace itself. */

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char *volatile memory = malloc(100);

	memory[3] = 1;
	free(memory);
	puts("done");
	return 0;
}
