/*
 * profile/wire and gunzip: every field type, every way to be cut short, and the limits of unpacking.
 */
#include "profile/pprof/wire.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "profile/pprof/gunzip.h"
#include "tests/unit/check.h"

static struct sprof_wire wire_of(const void *bytes, size_t size)
{
	return (struct sprof_wire){.at = bytes, .end = (const uint8_t *)bytes + size};
}

static void every_type_is_read(void **state)
{
	static const char bytes[] = "\x08\x96\x01"                         /* 1: 150 */
				    "\x11\x01\x00\x00\x00\x00\x00\x00\x80" /* 2: fixed 64 */
				    "\x1a\x02hi"                           /* 3: two bytes */
				    "\x25\x02\x00\x00\x00"                 /* 4: fixed 32 */
				    "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"; /* 5: -1 */
	struct sprof_wire wire = wire_of(bytes, sizeof(bytes) - 1);
	struct sprof_wire_field field;

	assert_true(sprof_wire_next(&wire, &field));
	assert_int_equal(field.value, 150);
	assert_true(sprof_wire_next(&wire, &field));
	assert_true(field.value == 0x8000000000000001u);
	assert_true(sprof_wire_next(&wire, &field));
	assert_true(field.is_bytes && field.bytes.end - field.bytes.at == 2);
	assert_memory_equal(field.bytes.at, "hi", 2);
	assert_true(sprof_wire_next(&wire, &field));
	assert_int_equal(field.value, 2);
	assert_true(sprof_wire_next(&wire, &field));
	assert_true(field.number == 5 && field.value == UINT64_MAX);
	assert_false(sprof_wire_next(&wire, &field));
	assert_false(wire.broken);
}

static void what_is_cut_short_is_broken(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} cases[] = {{"\x08", 1}, {"\x08\x80", 2}, {"\x1a\x05hi", 4}, {"\x11\x01", 2},
		{"\x25\x01", 2}, {"\x0b", 1}, {"\x00\x01", 2},
		{"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_wire wire = wire_of(cases[i].bytes, cases[i].size);
		struct sprof_wire_field field;

		assert_false(sprof_wire_next(&wire, &field));
		assert_true(wire.broken);
		assert_false(sprof_wire_next(&wire, &field));
	}
}

/* Zeros, packed; the caller frees them. */
static uint8_t *pack_zeros(size_t size, size_t *ret_size)
{
	z_stream stream = {0};
	uint8_t *packed = malloc(size / 500 + 1000);
	static uint8_t zeros[1 << 16];

	assert_non_null(packed);
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_out = packed;
	stream.avail_out = (uInt)(size / 500 + 1000);
	for (size_t done = 0; done < size; done += sizeof(zeros)) {
		stream.next_in = zeros;
		stream.avail_in = sizeof(zeros);
		assert_int_equal(deflate(&stream, Z_NO_FLUSH), Z_OK);
	}
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*ret_size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

static void small_files_may_be_packed_well(void **state)
{
	struct sprof_bytes bytes;
	struct sprof_error err;
	size_t size;
	uint8_t *packed = pack_zeros(1 << 20, &size);

	assert_true(sprof_is_gzip(packed, size));
	assert_true(sprof_gunzip(packed, size, "x", &bytes, &err));
	assert_int_equal(bytes.size, 1 << 20);
	free(bytes.data);
	assert_false(sprof_gunzip(packed, size - 1, "x", &bytes, &err));
	assert_non_null(strstr(err.message, "ends too early"));
	packed[size] = 0;
	assert_false(sprof_gunzip(packed, size + 1, "x", &bytes, &err));
	assert_non_null(strstr(err.message, "concatenated"));
	free(packed);
}

static void bombs_are_refused(void **state)
{
	struct sprof_bytes bytes;
	struct sprof_error err;
	size_t size;
	uint8_t *packed = pack_zeros((size_t)128 << 20, &size);

	assert_false(sprof_gunzip(packed, size, "x", &bytes, &err));
	assert_non_null(strstr(err.message, "400 times"));
	free(packed);
}

TEST_MAIN("wire")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(what_is_cut_short_is_broken),
		cmocka_unit_test(small_files_may_be_packed_well),
		cmocka_unit_test(bombs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
