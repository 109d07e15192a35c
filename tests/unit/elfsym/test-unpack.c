/*
 * elfsym/unpack: streams one after the other, damage, and holes; with gzip, which every build has.
 */
#include "elfsym/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/check.h"

enum { PLAIN = 1024 * 1024, PACKED = 2 * PLAIN, ZEROS_FROM = 300 * 1000, ZEROS_TO = 900 * 1000 };

static uint8_t plain[PLAIN], packed[PACKED], again[3 * PLAIN];

/* Noise, which takes more than one piece, and zeros, which become a hole. */
static void fill(void)
{
	uint64_t x = 1;

	for (size_t i = 0; i < PLAIN; i++) {
		x = x * 6364136223846793005u + 1;
		plain[i] = i >= ZEROS_FROM && i < ZEROS_TO ? 0 : (uint8_t)(x >> 56);
	}
}

/* One stream behind `at`; where it ends. */
static size_t pack(size_t at)
{
	z_stream stream = {0};

	assert_int_equal(
		deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = plain;
	stream.avail_in = PLAIN;
	stream.next_out = packed + at;
	stream.avail_out = (uInt)(PACKED - at);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	at += stream.total_out;
	deflateEnd(&stream);
	return at;
}

static int file_of(const uint8_t *bytes, size_t size)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

/* How many bytes come out of so many; -1: errno says why. They are compared with the plain ones. */
static ssize_t unpacked(size_t size)
{
	const int from = file_of(packed, size), to = memfd_create("to", MFD_CLOEXEC);
	const bool ok = sprof_unpack(&sprof_unpack_gzip, from, to);
	const int errnum = errno;
	ssize_t got = pread(to, again, sizeof(again), 0);
	struct stat status;

	assert_int_equal(fstat(to, &status), 0);
	for (ssize_t i = 0; ok && i < got; i += PLAIN)
		assert_memory_equal(again + i, plain, PLAIN);
	if (ok && got)
		assert_true(status.st_blocks * 512 < got - (ZEROS_TO - ZEROS_FROM) / 2);
	close(from);
	close(to);
	errno = errnum;
	return ok ? got : -1;
}

static void streams_are_joined(void **state)
{
	const size_t one = pack(0), two = pack(one);

	assert_int_equal(unpacked(one), PLAIN);
	assert_int_equal(unpacked(two), 2 * PLAIN);
}

static void damage_is_told(void **state)
{
	const size_t one = pack(0);

	for (size_t size = 1; size < one; size += size < 100 ? 1 : 9973) {
		assert_int_equal(unpacked(size), -1);
		assert_int_equal(errno, EBADMSG);
	}
	memset(packed + one, 'x', 100);
	assert_int_equal(unpacked(one + 100), -1);
	assert_int_equal(errno, EBADMSG);
	packed[one / 2] ^= 1;
	assert_int_equal(unpacked(one), -1);
	assert_int_equal(errno, EBADMSG);
}

static void formats_are_told_by_their_begin(void **state)
{
	static const struct {
		const char *begin, *name;
	} cases[] = {
		{"\x28\xb5\x2f\xfd....", "zstd"},
		{"\xfd"
		 "7zXZ\0..",
			"xz"},
		{"\x04\x22\x4d\x18....", "lz4"},
		{"\x1f\x8b......", "gzip"},
		{"BZh.....", "bzip2"},
		{"\x7f"
		 "ELF....",
			NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int fd = file_of((const uint8_t *)cases[i].begin, 8);
		const struct sprof_unpacker *found = sprof_unpacker_find(fd);

		assert_int_equal(!found, !cases[i].name);
		if (found)
			assert_string_equal(found->name, cases[i].name);
		close(fd);
	}
}

TEST_MAIN("unpack")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_joined),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(formats_are_told_by_their_begin),
	};

	fill();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
