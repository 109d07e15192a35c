/*
 * One line of /proc/PID/maps.
 */
#ifndef SPROF_BASE_MAPS_LINE_H
#define SPROF_BASE_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

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

#endif
