/*
 * Packed profiles. The mutator changes what is packed, the packed bytes, or both: a change of the
 * packed bytes alone hardly ever gets past the checksum. Whatever can be unpacked is read as if it
 * had never been packed.
 */
#include <zlib.h>

#include "profile/pprof/gunzip.h"
#include "profile/pprof/pprof.h"
#include "tests/fuzz/fuzz.h"

enum {
	ROOM = 1 << 20,
	WITH_GZIP_HEADER = 16, /* added to the window bits: see deflateInit2() in zlib.h */
	MEMORY_LEVEL = 8,
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static bool reads(const uint8_t *bytes, size_t size)
{
	const struct sprof_pprof_options options = {0};
	struct sprof_profile *profile;
	struct sprof_error err;

	if (!sprof_pprof_read_bytes(bytes, size, "fuzz", &options, &profile, &err))
		return false;
	sprof_profile_destroy(profile);
	return true;
}

static void unpack_and_read(const uint8_t *bytes, size_t size)
{
	struct sprof_bytes unpacked;
	struct sprof_error err;

	if (!sprof_gunzip(bytes, size, "fuzz", &unpacked, &err)) {
		fuzz_require(!reads(bytes, size));
		return;
	}
	if (!sprof_is_gzip(unpacked.data, unpacked.size))
		fuzz_require(reads(bytes, size) == reads(unpacked.data, unpacked.size));
	free(unpacked.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *copy = fuzz_text(bytes, size);

	if (sprof_is_gzip((const uint8_t *)copy, size))
		unpack_and_read((const uint8_t *)copy, size);
	free(copy);
	return 0;
}

/* 0: it doesn't fit. */
static size_t pack(const uint8_t *plain, size_t size, uint8_t *packed, size_t room, unsigned seed)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)plain,
		.avail_in = (uInt)size,
		.next_out = packed,
		.avail_out = (uInt)room};
	bool ok;

	if (deflateInit2(&stream, (int)(seed % 10), Z_DEFLATED, MAX_WBITS + WITH_GZIP_HEADER,
		    MEMORY_LEVEL, (int)(seed / 10 % (Z_FIXED + 1))) != Z_OK)
		return 0;
	ok = deflate(&stream, Z_FINISH) == Z_STREAM_END;
	deflateEnd(&stream);
	return ok ? stream.total_out : 0;
}

/* Changes what is packed. 0: it can't be unpacked, or not be packed again in so much room. */
static size_t mutate_content(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct sprof_bytes plain;
	struct sprof_error err;
	uint8_t *more;
	size_t packed;

	if (!sprof_gunzip(data, size, "fuzz", &plain, &err))
		return 0;
	if (plain.size > ROOM || !(more = realloc(plain.data, ROOM))) {
		free(plain.data);
		return 0;
	}
	packed = pack(more, LLVMFuzzerMutate(more, plain.size, ROOM), data, max_size, seed);
	free(more);
	return packed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	size_t packed = 0;

	if (seed % 4 && sprof_is_gzip(data, size))
		packed = mutate_content(data, size, max_size, seed / 4);
	if (!packed || seed % 4 == 1)
		packed = LLVMFuzzerMutate(data, packed ? packed : size, max_size);
	return packed;
}
