/*
 * Compresses output through zlib with two buffers of fixed size. The header has no name and no
 * time, so equal profiles give equal files.
 */
#include "output/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	BUFFER_SIZE = 64 * 1024,
	/* Higher levels hardly shrink tables of numbers; 3 is several times as fast as 6. */
	LEVEL = 3,
	WITH_GZIP_HEADER = 16, /* added to the window bits: see deflateInit2() in zlib.h */
	MEMORY_LEVEL = 8,
};

struct sprof_gzip {
	struct sprof_out *out;
	z_stream stream;
	size_t used;
	unsigned char plain[BUFFER_SIZE], packed[BUFFER_SIZE];
};

struct sprof_gzip *sprof_gzip_create(struct sprof_out *out)
{
	struct sprof_gzip *gzip = malloc(sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->out = out;
	gzip->used = 0;
	memset(&gzip->stream, 0, sizeof(gzip->stream));
	if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, MAX_WBITS + WITH_GZIP_HEADER,
		    MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

static void pack(struct sprof_gzip *gzip, int flush)
{
	gzip->stream.next_in = gzip->plain;
	gzip->stream.avail_in = (uInt)gzip->used;
	do {
		gzip->stream.next_out = gzip->packed;
		gzip->stream.avail_out = BUFFER_SIZE;
		if (deflate(&gzip->stream, flush) == Z_STREAM_ERROR) {
			sprof_out_fail(gzip->out, EINVAL);
			return;
		}
		sprof_out_write(gzip->out, gzip->packed, BUFFER_SIZE - gzip->stream.avail_out);
	} while (!gzip->stream.avail_out);
	gzip->used = 0;
}

void sprof_gzip_write(struct sprof_gzip *gzip, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size) {
		size_t room = BUFFER_SIZE - gzip->used, part = size < room ? size : room;

		memcpy(gzip->plain + gzip->used, from, part);
		gzip->used += part;
		from += part;
		size -= part;
		if (gzip->used == BUFFER_SIZE)
			pack(gzip, Z_NO_FLUSH);
	}
}

void sprof_gzip_finish(struct sprof_gzip *gzip)
{
	if (!gzip)
		return;
	pack(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	free(gzip);
}
