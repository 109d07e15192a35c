/*
 * Stamps of files. If size and time are unchanged, nothing was written. Otherwise the first page
 * decides: it holds the segments' sizes and, in nearly every file, the build id. The bytes before
 * the program headers are skipped: they locate the sections, and strip(1) changes them in place.
 */
#include "base/file-stamp.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

enum { HEAD = 4096 };

static uint64_t head_of(int fd)
{
	unsigned char bytes[HEAD];
	ssize_t size = pread(fd, bytes, sizeof(bytes), 0);

	if (size < (ssize_t)sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return 0;
	/* 0 means: not an ELF file. */
	return 1 |
		sprof_hash_bytes(bytes + sizeof(Elf64_Ehdr), (size_t)size - sizeof(Elf64_Ehdr),
			SPROF_HASH_BASIS);
}

static bool look(struct sprof_file_stamp *ret, int fd)
{
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return false;
	*ret = (struct sprof_file_stamp){
		.size = status.st_size,
		.seconds = status.st_mtim.tv_sec,
		.nanoseconds = (uint32_t)status.st_mtim.tv_nsec,
		.taken = true,
	};
	return true;
}

void sprof_file_stamp_take(struct sprof_file_stamp *stamp, int fd)
{
	*stamp = (struct sprof_file_stamp){0};
	if (look(stamp, fd))
		stamp->head = head_of(fd);
}

bool sprof_file_stamp_holds(const struct sprof_file_stamp *stamp, int fd)
{
	struct sprof_file_stamp now;

	if (!stamp->taken || !look(&now, fd))
		return true;
	if (now.size == stamp->size && now.seconds == stamp->seconds &&
		now.nanoseconds == stamp->nanoseconds)
		return true;
	return head_of(fd) == stamp->head;
}
