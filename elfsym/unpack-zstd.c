/* Decompresses zstd frames through libzstd, and skips skippable frames. */
#include <zstd.h>

#include "elfsym/unpack.h"

static void *begin(void)
{
	return ZSTD_createDStream();
}

/* The library returns an error as an impossibly large size, and 0 at the end of a frame. */
static enum sprof_unpack_step step(void *state, struct sprof_unpack_piece *piece)
{
	ZSTD_inBuffer in = {.src = piece->in, .size = piece->in_left};
	ZSTD_outBuffer out = {.dst = piece->out, .size = piece->out_left};
	const size_t left = ZSTD_decompressStream(state, &out, &in);

	if (ZSTD_isError(left))
		return SPROF_UNPACK_DAMAGED;
	piece->in += in.pos;
	piece->in_left -= in.pos;
	piece->out += out.pos;
	piece->out_left -= out.pos;
	return left ? SPROF_UNPACK_MORE : SPROF_UNPACK_END;
}

static void end(void *state)
{
	ZSTD_freeDStream(state);
}

const struct sprof_unpacker sprof_unpack_zstd = {
	"zstd", 4, {0x28, 0xb5, 0x2f, 0xfd}, begin, step, end};
