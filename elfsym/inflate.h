/*
 * The zlib format, decompressed.
 */
#ifndef SPROF_ELFSYM_INFLATE_H
#define SPROF_ELFSYM_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * No input is worth more times its own size (https://zlib.net/zlib_tech.html). zstd can do more, but
 * not with debug information.
 */
enum {
	SPROF_INFLATE_MAX_RATIO = 1032
};

/* Exactly `ret_size` bytes come out, or it is false. */
bool sprof_inflate(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size);

#endif
