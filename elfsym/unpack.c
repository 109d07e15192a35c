/*
 * Copies one file to another through a decoder. Several streams may follow each other, as gzip(1)
 * and zstd(1) write them; anything else after a stream is an error.
 */
#include "elfsym/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IN_BYTES = 1 << 17, OUT_BYTES = 1 << 17, BLOCK = 4096 };

/* No decoder for bzip2, which is no longer used for cores. */
static const struct sprof_unpacker bzip2 = {
	.name = "bzip2", .magic_size = 3, .magic = {'B', 'Z', 'h'}};

static const struct sprof_unpacker *const unpackers[] = {
	&sprof_unpack_zstd,
	&sprof_unpack_xz,
	&sprof_unpack_lz4,
	&sprof_unpack_gzip,
	&bzip2,
};

struct stream {
	const struct sprof_unpacker *unpacker;
	void *state; /* NULL: no stream has begun, or one has ended */
	int from, to;
	off_t read, written;
	uint8_t in[IN_BYTES], out[OUT_BYTES];
};

const struct sprof_unpacker *sprof_unpacker_find(int fd)
{
	uint8_t begin[SPROF_UNPACK_MAGIC] = {0};
	const ssize_t got = pread(fd, begin, sizeof(begin), 0);

	for (size_t i = 0; i < sizeof(unpackers) / sizeof(unpackers[0]); i++) {
		if (got >= (ssize_t)unpackers[i]->magic_size &&
			!memcmp(begin, unpackers[i]->magic, unpackers[i]->magic_size))
			return unpackers[i];
	}
	return NULL;
}

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

static bool write_out(struct stream *stream, size_t size)
{
	for (size_t at = 0; at < size; at += BLOCK) {
		const size_t rest = size - at;

		if (!write_block(stream, stream->out + at, rest < BLOCK ? rest : BLOCK))
			return false;
	}
	return true;
}

static bool fail(int errnum)
{
	errno = errnum;
	return false;
}

static void end(struct stream *stream)
{
	if (stream->state)
		stream->unpacker->end(stream->state);
	stream->state = NULL;
}

/* One step, and its output. *ret_went_on: there may be more in the decoder. */
static bool advance(struct stream *stream, struct sprof_unpack_piece *piece, bool *ret_went_on)
{
	const size_t in_before = piece->in_left;
	enum sprof_unpack_step step;

	if (!stream->state)
		stream->state = stream->unpacker->begin();
	if (!stream->state)
		return fail(ENOMEM);
	piece->out = stream->out;
	piece->out_left = OUT_BYTES;
	step = stream->unpacker->step(stream->state, piece);
	if (step == SPROF_UNPACK_DAMAGED || step == SPROF_UNPACK_NO_MEMORY)
		return fail(step == SPROF_UNPACK_DAMAGED ? EBADMSG : ENOMEM);
	*ret_went_on =
		step == SPROF_UNPACK_MORE && (!piece->out_left || piece->in_left != in_before);
	if (step == SPROF_UNPACK_END)
		end(stream);
	return write_out(stream, OUT_BYTES - piece->out_left);
}

/*
 * Passes one whole piece of input. A decoder that neither consumes nor produces anything gets no
 * more.
 */
static bool take(struct stream *stream, size_t size)
{
	struct sprof_unpack_piece piece = {.in = stream->in, .in_left = size};
	bool went_on = true;

	while (piece.in_left || (stream->state && went_on)) {
		if (!advance(stream, &piece, &went_on))
			return false;
		if (piece.in_left && stream->state && !went_on)
			return fail(EBADMSG);
	}
	return true;
}

static bool run(struct stream *stream)
{
	ssize_t got;

	while ((got = pread(stream->from, stream->in, IN_BYTES, stream->read)) > 0) {
		stream->read += got;
		if (!take(stream, (size_t)got))
			return false;
	}
	if (got < 0)
		return false;
	return stream->state ? fail(EBADMSG) : !ftruncate(stream->to, stream->written);
}

bool sprof_unpack(const struct sprof_unpacker *unpacker, int from, int to)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int errnum;
	bool ok;

	if (!stream)
		return fail(ENOMEM);
	stream->unpacker = unpacker;
	stream->from = from;
	stream->to = to;
	ok = run(stream);
	errnum = errno;
	end(stream);
	free(stream);
	errno = errnum;
	return ok;
}
