/*
 * Decompression by zlib, for systems without libdeflate.
 */
#include "elfsym/inflate.h"

#include <zlib.h>

bool sprof_inflate(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	uLongf length = ret_size;

	return uncompress(ret, &length, bytes, size) == Z_OK && length == ret_size;
}
