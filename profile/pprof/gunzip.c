/*
 * Reads and decompresses with limits: gzip (RFC 1952) through zlib. Limits are checked while the
 * buffer grows, so a decompression bomb fails early. Does not interpret the content.
 */
#include "profile/pprof/gunzip.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"

enum {
	CHUNK = 256 * 1024,
	MAX_SIZE = 1024 * 1024 * 1024,
	TRUSTED_SIZE = 64 * 1024 * 1024,
	MAX_RATIO = 400,
	WITH_GZIP_HEADER = 16, /* added to the window bits: see inflateInit2() in zlib.h */
};

static bool make_room(struct sprof_bytes *bytes)
{
	return bytes->capacity - bytes->size >= CHUNK / 4 ||
		sprof_array_reserve(&bytes->data, &bytes->capacity, bytes->size + CHUNK, 1);
}

static bool too_large(struct sprof_error *err, const char *name)
{
	return sprof_error_set(
		err, SPROF_ERROR_UNSUPPORTED, "%s: sprof reads no profile larger than 1 GiB", name);
}

bool sprof_bytes_read(int fd, const char *name, struct sprof_bytes *ret, struct sprof_error *err)
{
	struct sprof_bytes bytes = {0};
	ssize_t got;

	do {
		if (!make_room(&bytes)) {
			free(bytes.data);
			return sprof_error_no_memory(err);
		}
		got = read(fd, bytes.data + bytes.size, bytes.capacity - bytes.size);
		bytes.size += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && bytes.size <= MAX_SIZE) || (got < 0 && errno == EINTR));
	if (got < 0)
		sprof_error_errno(err, errno, "can't read %s", name);
	else if (got > 0)
		too_large(err, name);
	else
		*ret = bytes;
	if (got)
		free(bytes.data);
	return !got;
}

bool sprof_is_gzip(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* Whether decompression may continue; if not, sets the error. */
static bool is_sane(const z_stream *stream, const char *name, struct sprof_error *err)
{
	if (stream->total_out > MAX_SIZE)
		return too_large(err, name);
	if (stream->total_out > TRUSTED_SIZE && stream->total_out / MAX_RATIO > stream->total_in) {
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s: unpacks to more than %d times its size", name, MAX_RATIO);
		return sprof_error_hint(err,
			"no profile does, but files made to fill the memory do; if it is one, "
			"unpack it with gunzip first");
	}
	return true;
}

static bool broken(const z_stream *stream, int result, const char *name, struct sprof_error *err)
{
	if (result == Z_MEM_ERROR)
		return sprof_error_no_memory(err);
	if (result == Z_STREAM_END)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s: something follows the end of the gzip file: concatenated profiles?",
			name);
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s: damaged gzip file: %s", name,
		result == Z_BUF_ERROR ? "it ends too early"
			: stream->msg ? stream->msg
				      : "no gzip header");
}

static bool unpack(
	z_stream *stream, const char *name, struct sprof_bytes *bytes, struct sprof_error *err)
{
	int result = Z_OK;

	while (result == Z_OK) {
		if (!make_room(bytes))
			return sprof_error_no_memory(err);
		stream->next_out = bytes->data + bytes->size;
		stream->avail_out = (uInt)(bytes->capacity - bytes->size);
		result = inflate(stream, Z_NO_FLUSH);
		bytes->size = (size_t)stream->total_out;
		if (!is_sane(stream, name, err))
			return false;
	}
	if (result == Z_STREAM_END && !stream->avail_in)
		return true;
	return broken(stream, result, name, err);
}

bool sprof_gunzip(const uint8_t *packed, size_t size, const char *name, struct sprof_bytes *ret,
	struct sprof_error *err)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)size};
	struct sprof_bytes bytes = {0};
	bool ok;

	if (size > MAX_SIZE)
		return too_large(err, name);
	if (inflateInit2(&stream, MAX_WBITS + WITH_GZIP_HEADER) != Z_OK)
		return sprof_error_no_memory(err);
	ok = unpack(&stream, name, &bytes, err);
	inflateEnd(&stream);
	if (ok)
		*ret = bytes;
	else
		free(bytes.data);
	return ok;
}
