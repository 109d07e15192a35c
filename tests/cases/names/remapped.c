/* The program copies code of its own into anonymous memory at the same addresses, as what puts text onto huge pages does. */

#define _GNU_SOURCE
#include "tests/cases/ready.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define HOT __attribute__((noinline, noclone, section(".text.hot_page"), aligned(PAGE)))

static volatile long sum;

HOT void hot(void)
{
	say_ready();
	for (;;)
		sum++;
}

HOT void behind(void)
{
	sum = 0;
}

int main(void)
{
	char *code = (char *)(uintptr_t)hot;
	char *copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return 1;
	memcpy(copy, code, PAGE);
	if (mprotect(copy, PAGE, PROT_READ | PROT_EXEC) ||
		mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, code) != code)
		return 1;
	hot();
	return 0;
}
