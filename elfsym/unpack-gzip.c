/* Decompresses gzip streams through zlib, which every build has. */
#include <stdlib.h>
#include <zlib.h>

#include "elfsym/unpack.h"

enum { GZIP = 16 }; /* a window of any size, with gzip's head (zlib.h: inflateInit2) */

static void end(void *state)
{
	inflateEnd(state);
	free(state);
}

static void *begin(void)
{
	z_stream *stream = calloc(1, sizeof(*stream));

	if (!stream || inflateInit2(stream, MAX_WBITS + GZIP) == Z_OK)
		return stream;
	free(stream);
	return NULL;
}

/* The caller's pieces are small enough for zlib's 32 bits. */
static enum sprof_unpack_step step(void *state, struct sprof_unpack_piece *piece)
{
	z_stream *stream = state;
	int result;

	stream->next_in = (Bytef *)(uintptr_t)piece->in;
	stream->avail_in = (uInt)piece->in_left;
	stream->next_out = piece->out;
	stream->avail_out = (uInt)piece->out_left;
	result = inflate(stream, Z_NO_FLUSH);
	piece->in = stream->next_in;
	piece->in_left = stream->avail_in;
	piece->out = stream->next_out;
	piece->out_left = stream->avail_out;
	if (result == Z_OK || result == Z_BUF_ERROR)
		return SPROF_UNPACK_MORE;
	if (result == Z_MEM_ERROR)
		return SPROF_UNPACK_NO_MEMORY;
	return result == Z_STREAM_END ? SPROF_UNPACK_END : SPROF_UNPACK_DAMAGED;
}

const struct sprof_unpacker sprof_unpack_gzip = {"gzip", 2, {0x1f, 0x8b}, begin, step, end};
