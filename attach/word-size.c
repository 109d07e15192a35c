/*
 * Reads the class of a program's ELF file. Does not see 32-bit code that a 64-bit program jumps to (Wine
 * does that).
 */
#include "attach/word-size.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

_Static_assert(sizeof(void *) == 8, "sprof is a 64-bit program");

bool sprof_word_size_differs_in_file(int fd)
{
	unsigned char identity[EI_NIDENT];

	return pread(fd, identity, sizeof(identity), 0) == (ssize_t)sizeof(identity) &&
		!memcmp(identity, ELFMAG, SELFMAG) && identity[EI_CLASS] == ELFCLASS32;
}

bool sprof_word_size_differs(pid_t pid)
{
	SPROF_AUTO_CLOSE int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && sprof_word_size_differs_in_file(fd);
}
