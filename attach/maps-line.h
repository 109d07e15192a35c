/*
 * One line of /proc/PID/maps.
 */
#ifndef SPROF_ATTACH_MAPS_LINE_H
#define SPROF_ATTACH_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `path` is a view into the text: unescaped by the caller, may be empty. */
struct sprof_maps_line {
	uint64_t start, end, offset, device, inode;
	bool executable, shared;
	const char *path;
	size_t path_length;
};

/* Parses the line at *cursor and moves the cursor behind it. False: the end, or not a line of maps. */
bool sprof_maps_parse_line(const char **cursor, struct sprof_maps_line *ret);

#endif
