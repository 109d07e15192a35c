/*
 * Decompression by libzstd. libelf has it only since 0.190, and not in every build. A file is
 * decompressed as a stream: a core may be larger than memory.
 */
#include "elfsym/unzstd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { IN_BYTES = 1 << 17, OUT_BYTES = 1 << 17, BLOCK = 4096 };

bool sprof_unzstd_is_built_in(void)
{
	return true;
}

/* The library returns an error as an impossibly large size. */
bool sprof_unzstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	return ZSTD_decompress(ret, ret_size, bytes, size) == ret_size;
}

struct stream {
	ZSTD_DStream *state;
	int from, to;
	off_t read, written;
	uint8_t in[IN_BYTES], out[OUT_BYTES];
};

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static bool write_block(struct stream *stream, const uint8_t *bytes, size_t size)
{
	size_t done = is_zero(bytes, size) ? size : 0;

	while (done < size) {
		const ssize_t got = pwrite(
			stream->to, bytes + done, size - done, stream->written + (off_t)done);

		if (got < 0 && errno != EINTR)
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	stream->written += (off_t)size;
	return true;
}

/* Writes what has come out of one piece of input. *ret_left: what the library said last; 0: the
 * end of a frame. */
static bool take(struct stream *stream, size_t size, size_t *ret_left)
{
	ZSTD_inBuffer in = {.src = stream->in, .size = size};
	ZSTD_outBuffer out;

	do {
		out = (ZSTD_outBuffer){.dst = stream->out, .size = OUT_BYTES};
		*ret_left = ZSTD_decompressStream(stream->state, &out, &in);
		if (ZSTD_isError(*ret_left)) {
			errno = EBADMSG;
			return false;
		}
		for (size_t at = 0; at < out.pos; at += BLOCK) {
			const size_t rest = out.pos - at;

			if (!write_block(stream, stream->out + at, rest < BLOCK ? rest : BLOCK))
				return false;
		}
	} while (in.pos < in.size || out.pos == out.size);
	return true;
}

static bool run(struct stream *stream)
{
	size_t left = 1;
	ssize_t got;

	while ((got = pread(stream->from, stream->in, IN_BYTES, stream->read)) > 0) {
		stream->read += got;
		if (!take(stream, (size_t)got, &left))
			return false;
	}
	if (got < 0)
		return false;
	if (left) {
		errno = EBADMSG;
		return false;
	}
	return !ftruncate(stream->to, stream->written);
}

bool sprof_unzstd_file(int from, int to)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	bool ok;

	if (!stream) {
		errno = ENOMEM;
		return false;
	}
	stream->from = from;
	stream->to = to;
	stream->state = ZSTD_createDStream();
	if (!stream->state)
		errno = ENOMEM;
	ok = stream->state && run(stream);
	ZSTD_freeDStream(stream->state);
	free(stream);
	return ok;
}
