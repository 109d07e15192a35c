/*
 * Whether an open file is what it was: somebody may have written something else into it since.
 */
#ifndef SPROF_BASE_FILE_STAMP_H
#define SPROF_BASE_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* What a file was like once. Zeroed: it was not looked at. */
struct sprof_file_stamp {
	int64_t size, seconds; /* and when it was written last */
	uint32_t nanoseconds;
	bool taken;
	uint64_t head; /* of an ELF file: a hash of its beginning; 0: it is none */
};

/* Looks at the file; one that can't be looked at leaves the stamp zeroed. */
void sprof_file_stamp_take(struct sprof_file_stamp *stamp, int fd);

/*
 * Whether the file has the code that it had. One that was only touched or stripped has; so has one
 * that was no ELF file and is none. True also where no stamp was taken. Costs one fstat(2) as long as
 * nobody has written to the file.
 */
bool sprof_file_stamp_holds(const struct sprof_file_stamp *stamp, int fd);

#endif
