/*
 * Decompression by zlib and libzstd. libelf knows zstd only since 0.190, and not in every build.
 */
#include "elfsym/dwarf/inflate.h"

#include <zlib.h>
#include <zstd.h>

bool sprof_inflate_zlib(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	uLongf length = ret_size;

	return uncompress(ret, &length, bytes, size) == Z_OK && length == ret_size;
}

/* The library returns an error as an impossibly large size. */
bool sprof_inflate_zstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	return ZSTD_decompress(ret, ret_size, bytes, size) == ret_size;
}
