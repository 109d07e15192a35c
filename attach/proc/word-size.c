/*
 * Reads the class of a program's ELF file. Does not notice 32-bit code that a 64-bit program jumps
 * to (as in Wine).
 */
#include "attach/proc/word-size.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(void *) == 8, "sprof is a 64-bit program");

bool sprof_word_size_differs(int fd)
{
	unsigned char identity[EI_NIDENT];

	return pread(fd, identity, sizeof(identity), 0) == (ssize_t)sizeof(identity) &&
		!memcmp(identity, ELFMAG, SELFMAG) && identity[EI_CLASS] == ELFCLASS32;
}
