/*
 * Whether an open file is unchanged: somebody may have overwritten it since it was opened.
 */
#ifndef SPROF_BASE_FILE_STAMP_H
#define SPROF_BASE_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* What a file looked like at one time. Zeroed: it was not looked at. */
struct sprof_file_stamp {
	int64_t size, seconds; /* and the time of its last write */
	uint32_t nanoseconds;
	bool taken;
	uint64_t head; /* of an ELF file: a hash of its start; 0: no ELF file */
};

/* Takes the stamp of a file. If the file can't be looked at, the stamp stays zeroed. */
void sprof_file_stamp_take(struct sprof_file_stamp *stamp, int fd);

/*
 * Whether the file still has the same code. True if it was only touched or stripped, if it was and
 * is not an ELF file, or if no stamp was taken. Costs one fstat(2) as long as nobody has written to
 * the file.
 */
bool sprof_file_stamp_holds(const struct sprof_file_stamp *stamp, int fd);

#endif
