/* Detects whether an open file was overwritten since it was opened. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A file's identifying facts at one time. Zeroed: not taken. */
struct sprof_file_stamp {
	int64_t size, seconds; /* and time of the last write */
	uint32_t nanoseconds;
	bool taken;
	uint64_t head; /* for ELF: a hash of its start; 0: not ELF */
};

/* Takes a file's stamp. If the file can't be read, the stamp stays zeroed. */
void sprof_file_stamp_take(struct sprof_file_stamp *stamp, int fd);

/*
 * Whether the file still contains the same code. True if it was only touched or stripped, if it is
 * not ELF now and then, or if no stamp was taken. Costs one fstat(2) as long as the file is not
 * written.
 */
bool sprof_file_stamp_holds(const struct sprof_file_stamp *stamp, int fd);
