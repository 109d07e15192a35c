/* Decompresses xz through liblzma. Does not handle stream padding (xz(1)): zeros after a stream. */
#include <lzma.h>
#include <stdlib.h>

#include "elfsym/unpack.h"

/* The largest dictionary of a preset, -9, takes 65 MiB. */
static const uint64_t memory_limit = 1024ull * 1024 * 1024;

static void end(void *state)
{
	lzma_end(state);
	free(state);
}

static void *begin(void)
{
	lzma_stream *stream = malloc(sizeof(*stream));

	if (!stream)
		return NULL;
	*stream = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(stream, memory_limit, 0) == LZMA_OK)
		return stream;
	end(stream);
	return NULL;
}

/* LZMA_BUF_ERROR: it needs more input; the caller decides. */
static enum sprof_unpack_step step(void *state, struct sprof_unpack_piece *piece)
{
	lzma_stream *stream = state;
	lzma_ret result;

	stream->next_in = piece->in;
	stream->avail_in = piece->in_left;
	stream->next_out = piece->out;
	stream->avail_out = piece->out_left;
	result = lzma_code(stream, LZMA_RUN);
	piece->in = stream->next_in;
	piece->in_left = stream->avail_in;
	piece->out = stream->next_out;
	piece->out_left = stream->avail_out;
	if (result == LZMA_OK || result == LZMA_BUF_ERROR)
		return SPROF_UNPACK_MORE;
	if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
		return SPROF_UNPACK_NO_MEMORY;
	return result == LZMA_STREAM_END ? SPROF_UNPACK_END : SPROF_UNPACK_DAMAGED;
}

const struct sprof_unpacker sprof_unpack_xz = {
	"xz", 6, {0xfd, '7', 'z', 'X', 'Z', 0}, begin, step, end};
