/*
 * .gnu_debuglink: the name of a separate debug file and the CRC of its content.
 */
#ifndef SPROF_ELFSYM_DEBUGLINK_H
#define SPROF_ELFSYM_DEBUGLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sprof_debuglink {
	const char *name; /* a file name without a folder, in the section */
	uint32_t crc;     /* the CRC-32 of zlib */
};

/* Reads the section's bytes. False: they are not what they should be. */
bool sprof_debuglink_parse(const uint8_t *bytes, size_t size, struct sprof_debuglink *ret);

/* Whether the content of the open file has this CRC. A file that can't be read has none. */
bool sprof_debuglink_matches(int fd, uint32_t crc);

#endif
