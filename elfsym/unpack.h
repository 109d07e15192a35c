/*
 * Decompresses files as streams: the result may be larger than memory. A format is a struct
 * sprof_unpacker; one without its library in this build has NULL functions.
 */
#ifndef SPROF_ELFSYM_UNPACK_H
#define SPROF_ELFSYM_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum { SPROF_UNPACK_MAGIC = 6 };

/* The remaining input, and the remaining room for output. */
struct sprof_unpack_piece {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
};

enum sprof_unpack_step {
	SPROF_UNPACK_MORE, /* needs more input or more room */
	SPROF_UNPACK_END,  /* the stream is complete; another may follow */
	SPROF_UNPACK_DAMAGED,
	SPROF_UNPACK_NO_MEMORY,
};

struct sprof_unpacker {
	const char *name; /* of the format and of its command, which takes -dc */
	size_t magic_size;
	uint8_t magic[SPROF_UNPACK_MAGIC];
	/* Returns NULL if out of memory. The pointer is NULL in a build without the library. */
	void *(*begin)(void);
	/* Processes the piece as far as possible. */
	enum sprof_unpack_step (*step)(void *state, struct sprof_unpack_piece *piece);
	void (*end)(void *state);
};

extern const struct sprof_unpacker sprof_unpack_zstd, sprof_unpack_xz, sprof_unpack_lz4,
	sprof_unpack_gzip;

/* The compression format of an open file. NULL: not compressed, or unknown format. */
const struct sprof_unpacker *sprof_unpacker_find(int fd);

/*
 * Decompresses a file, from its start, into an empty one, with holes for zeros. On false, errno is
 * set; EBADMSG: corrupt or truncated.
 */
SPROF_MUST_USE bool sprof_unpack(const struct sprof_unpacker *unpacker, int from, int to);

#endif
