/*
 * .gnu_debuglink: the name of a separate debug file and the CRC of its content.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_debuglink {
	const char *name; /* a file name without folder, points into the section */
	uint32_t crc;     /* zlib's CRC-32 */
};

/* Parses the section. Returns false if it is invalid. */
bool sprof_debuglink_parse(
	const uint8_t *bytes, size_t size, struct sprof_debuglink *ret) SPROF_MUST_USE;

/* Whether the open file's content has this CRC. False if unreadable. */
bool sprof_debuglink_matches(int fd, uint32_t crc);
