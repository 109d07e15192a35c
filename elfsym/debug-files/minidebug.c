/*
 * .gnu_debugdata through liblzma. A few bytes can expand to gigabytes, so the result is limited to
 * a multiple of the compressed size, far above real symbol tables.
 */
#include "elfsym/debug-files/minidebug.h"

#include <lzma.h>
#include <stdlib.h>

#include "base/array.h"

enum {
	CHUNK = 256 * 1024,
	MAX_RATIO = 64,
	DECODER_MEMORY = 128 * 1024 * 1024,
};

struct buffer {
	uint8_t *bytes;
	size_t size, capacity;
};

static bool decompress(lzma_stream *stream, size_t limit, struct buffer *buffer)
{
	lzma_ret state = LZMA_OK;

	while (state == LZMA_OK && buffer->size < limit) {
		if (!sprof_array_reserve(
			    &buffer->bytes, &buffer->capacity, buffer->size + CHUNK, 1))
			return false;
		stream->next_out = buffer->bytes + buffer->size;
		stream->avail_out = CHUNK;
		state = lzma_code(stream, LZMA_FINISH);
		buffer->size += CHUNK - stream->avail_out;
	}
	return state == LZMA_STREAM_END;
}

struct sprof_image *sprof_minidebug_open(const struct sprof_image *image)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct sprof_section section;
	struct sprof_image *inner;
	struct buffer buffer = {0};
	struct sprof_error ignored;
	bool ok;

	if (!sprof_image_section(image, ".gnu_debugdata", &section) ||
		lzma_stream_decoder(&stream, DECODER_MEMORY, 0) != LZMA_OK)
		return NULL;
	stream.next_in = section.bytes;
	stream.avail_in = section.size;
	ok = decompress(&stream, (section.size + CHUNK / MAX_RATIO) * MAX_RATIO, &buffer);
	lzma_end(&stream);
	if (!ok) {
		free(buffer.bytes);
		return NULL;
	}
	if (!sprof_image_open_bytes(buffer.bytes, buffer.size, ".gnu_debugdata", &inner, &ignored))
		return NULL;
	return inner;
}
