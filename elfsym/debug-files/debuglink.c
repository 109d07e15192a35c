/*
 * The section holds the name, a NUL, up to three bytes of padding to a multiple of four, and the
 * CRC in the file's byte order (gdb's manual, "Separate Debug Files"). A name with a slash is
 * rejected: it could lead anywhere in the file system, and no linker writes one.
 */
#include "elfsym/debug-files/debuglink.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 64 * 1024 };

bool sprof_debuglink_parse(const uint8_t *bytes, size_t size, struct sprof_debuglink *ret)
{
	size_t length = strnlen((const char *)bytes, size), at = (length + 4) & ~(size_t)3;

	if (!length || length == size || at > size || size - at < sizeof(ret->crc) ||
		memchr(bytes, '/', length))
		return false;
	ret->name = (const char *)bytes;
	memcpy(&ret->crc, bytes + at, sizeof(ret->crc));
	return true;
}

/* Reads instead of mapping: the pages are not needed again. */
bool sprof_debuglink_matches(int fd, uint32_t crc)
{
	unsigned char buffer[CHUNK];
	uLong sum = crc32(0, NULL, 0);
	off_t offset = 0;
	ssize_t count;

	while ((count = pread(fd, buffer, sizeof(buffer), offset)) > 0) {
		sum = crc32(sum, buffer, (uInt)count);
		offset += count;
	}
	return count == 0 && sum == crc;
}
