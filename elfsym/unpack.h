/*
 * Files that were compressed, decompressed as streams: they may be larger than memory. A format is a
 * struct sprof_unpacker; one whose library this build lacks has no functions.
 */
#ifndef SPROF_ELFSYM_UNPACK_H
#define SPROF_ELFSYM_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum { SPROF_UNPACK_MAGIC = 6 };

/* What is left of the input, and of the room for the output. */
struct sprof_unpack_piece {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
};

enum sprof_unpack_step {
	SPROF_UNPACK_MORE, /* wants more input, or more room */
	SPROF_UNPACK_END,  /* the stream is complete; what follows is another one */
	SPROF_UNPACK_DAMAGED,
	SPROF_UNPACK_NO_MEMORY,
};

struct sprof_unpacker {
	const char *name; /* of the format; also of its command, which takes -dc */
	size_t magic_size;
	uint8_t magic[SPROF_UNPACK_MAGIC];
	/* NULL: no memory. The function is NULL in a build without the library. */
	void *(*begin)(void);
	/* Moves the piece on, as far as it can. */
	enum sprof_unpack_step (*step)(void *state, struct sprof_unpack_piece *piece);
	void (*end)(void *state);
};

extern const struct sprof_unpacker sprof_unpack_zstd, sprof_unpack_xz, sprof_unpack_lz4,
	sprof_unpack_gzip;

/* The format in which an open file is compressed. NULL: in none, or in none that has a name here. */
const struct sprof_unpacker *sprof_unpacker_find(int fd);

/*
 * Decompresses a file, from its start, into an empty one, with holes in place of zeros. False: errno
 * says why; EBADMSG: it is damaged, or ends early.
 */
SPROF_MUST_USE bool sprof_unpack(const struct sprof_unpacker *unpacker, int from, int to);

#endif
