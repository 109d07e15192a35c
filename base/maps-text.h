/* Reads /proc/PID/maps, also of a process with a leader that has ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/*
 * The caller frees the text. *ret_tid is the thread through which memory and files are accessible:
 * the leader, or another thread if the leader has ended. Returns NULL if the process is gone, or
 * out of memory.
 */
SPROF_MUST_USE char *sprof_maps_read_text(pid_t pid, pid_t *ret_tid);

/* `path` points into the text: still escaped, may be empty. */
struct sprof_maps_line {
	uint64_t start, end, offset, device, inode;
	bool executable, shared;
	const char *path;
	size_t path_length;
};

/* Parses the line at *cursor and moves the cursor past it. Returns false at the end, or if it is
 * not a line of maps. */
SPROF_MUST_USE bool sprof_maps_parse_line(const char **cursor, struct sprof_maps_line *ret);
