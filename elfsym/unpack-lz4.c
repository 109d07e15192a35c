/* Decompresses lz4 frames through liblz4. Does not handle the legacy format without frames. */
#include <lz4frame.h>

#include "elfsym/unpack.h"

static void *begin(void)
{
	LZ4F_dctx *context;

	return LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) ? NULL
										     : context;
}

/* 0: the end of a frame. */
static enum sprof_unpack_step step(void *state, struct sprof_unpack_piece *piece)
{
	size_t taken = piece->in_left, given = piece->out_left;
	const size_t left = LZ4F_decompress(state, piece->out, &given, piece->in, &taken, NULL);

	if (LZ4F_isError(left))
		return SPROF_UNPACK_DAMAGED;
	piece->in += taken;
	piece->in_left -= taken;
	piece->out += given;
	piece->out_left -= given;
	return left ? SPROF_UNPACK_MORE : SPROF_UNPACK_END;
}

static void end(void *state)
{
	LZ4F_freeDecompressionContext(state);
}

const struct sprof_unpacker sprof_unpack_lz4 = {
	"lz4", 4, {0x04, 0x22, 0x4d, 0x18}, begin, step, end};
