/*
 * Compressed sections, decompressed. Each function returns false unless exactly `ret_size` bytes come out.
 */
#ifndef SPROF_ELFSYM_DWARF_INFLATE_H
#define SPROF_ELFSYM_DWARF_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * zlib's largest compression ratio (https://zlib.net/zlib_tech.html). zstd's can be larger, but not
 * for debug information.
 */
enum { SPROF_INFLATE_MAX_RATIO = 1032 };

bool sprof_inflate_zlib(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size);
bool sprof_inflate_zstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size);

#endif
