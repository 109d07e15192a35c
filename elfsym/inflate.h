/*
 * The zlib format, decompressed.
 */
#ifndef SPROF_ELFSYM_INFLATE_H
#define SPROF_ELFSYM_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The largest ratio of zlib (https://zlib.net/zlib_tech.html). zstd can reach more, but not with
 * debug information.
 */
enum { SPROF_INFLATE_MAX_RATIO = 1032 };

/* False unless exactly `ret_size` bytes come out. */
bool sprof_inflate(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size);

#endif
