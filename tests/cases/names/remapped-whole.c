/*
 * The program copies all of its code into anonymous memory at the same addresses. With CHANGED, not quite: then the
 * memory is not what the file has.
 */

#define _GNU_SOURCE
#include "tests/cases/ready.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static volatile long sum;

APART void hot(void)
{
	say_ready();
	for (;;)
		sum++;
}

static int find_text(uintptr_t *begin, uintptr_t *end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-%lx", begin, end) == 2 && *begin <= (uintptr_t)hot &&
			(uintptr_t)hot < *end;
	if (maps)
		fclose(maps);
	return found;
}

int main(void)
{
	uintptr_t begin, end;
	char *copy;

	if (!find_text(&begin, &end))
		return 1;
	copy = mmap(NULL, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return 1;
	memcpy(copy, (void *)begin, end - begin);
#ifdef CHANGED
	copy[1] ^= 1; /* of what is not executed any more */
#endif
	if (mprotect(copy, end - begin, PROT_READ | PROT_EXEC) ||
		mremap(copy, end - begin, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED,
			(void *)begin) != (void *)begin)
		return 1;
	hot();
	return 0;
}
