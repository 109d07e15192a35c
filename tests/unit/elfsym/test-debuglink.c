/* .gnu_debuglink: the name and the checksum, and sections that are none. */
#include "elfsym/debug-files/debuglink.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

/* As a section of exactly this size, so that a sanitizer sees every byte too far. */
static bool parse(const char *bytes, size_t size, char *ret_name, uint32_t *ret_crc)
{
	uint8_t *copy = calloc(1, size ? size : 1);
	struct sprof_debuglink link;
	bool ok;

	memcpy(copy, bytes, size);
	ok = sprof_debuglink_parse(copy, size, &link);
	if (ok) {
		strcpy(ret_name, link.name);
		*ret_crc = link.crc;
	}
	free(copy);
	return ok;
}

static void names_of_every_length(void **state)
{
	static const char *const sections[] = {
		"a\0\0\0\1\2\3\4", "ab\0\0\1\2\3\4", "abc\0\1\2\3\4", "abcd\0\0\0\0\1\2\3\4"};
	static const size_t sizes[] = {8, 8, 8, 12};
	uint32_t crc;
	char name[32];

	for (size_t i = 0; i < 4; i++) {
		assert_true(parse(sections[i], sizes[i], name, &crc));
		assert_int_equal(strlen(name), i + 1);
		assert_memory_equal(&crc, "\1\2\3\4", 4);
		assert_false(parse(sections[i], sizes[i] - 1, name, &crc));
	}
}

static void what_is_no_debuglink(void **state)
{
	uint32_t crc;
	char name[32];

	assert_false(parse("", 0, name, &crc));
	assert_false(parse("\0\0\0\0\1\2\3\4", 8, name, &crc));
	assert_false(parse("endless!", 8, name, &crc));
	assert_false(parse("../x\0\0\0\0\1\2\3\4", 12, name, &crc));
}

static void the_checksum_is_that_of_zlib(void **state)
{
	char path[] = "/tmp/sprof-debuglink-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, "123456789", 9), 9);
	assert_true(sprof_debuglink_matches(fd, 0xcbf43926));
	assert_false(sprof_debuglink_matches(fd, 0xcbf43927));
	close(fd);
	assert_false(sprof_debuglink_matches(-1, 0));
}

TEST_MAIN("debuglink")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_every_length),
		cmocka_unit_test(what_is_no_debuglink),
		cmocka_unit_test(the_checksum_is_that_of_zlib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
