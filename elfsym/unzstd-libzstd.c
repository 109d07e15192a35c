/*
 * Decompresses by libzstd, because libelf supports zstd only since 0.190, and not in every build.
 */
#include "elfsym/unzstd.h"

#include <zstd.h>

/* The library returns an error as an impossibly large size. */
bool sprof_unzstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	return ZSTD_decompress(ret, ret_size, bytes, size) == ret_size;
}
