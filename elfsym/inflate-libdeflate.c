/*
 * Decompression by libdeflate, which needs all input at once and takes half of zlib's time.
 */
#include "elfsym/inflate.h"

#include <libdeflate.h>

bool sprof_inflate(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (!decompressor)
		return false;
	/* With NULL for the actual size, libdeflate treats any other size as an error. */
	result = libdeflate_zlib_decompress(decompressor, bytes, size, ret, ret_size, NULL);
	libdeflate_free_decompressor(decompressor);
	return result == LIBDEFLATE_SUCCESS;
}
