/*
 * base/maps-line: lines as the kernel writes them and lines as it never would.
 */
#include "base/maps-text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static void expect_path(const char *line, const char *path)
{
	struct sprof_maps_line found;
	const char *cursor = line;

	assert_true(sprof_maps_parse_line(&cursor, &found));
	assert_int_equal(found.path_length, strlen(path));
	assert_memory_equal(found.path, path, found.path_length);
}

static void a_line_and_the_next(void **state)
{
	const char *cursor =
		"55d0c8a00000-55d0c8a02000 r-xp 00003000 fe:01 1048581      /usr/bin/cat\n"
		"7ffd0000-7ffd2000 rw-p 00000000 00:00 0                    [stack]\n";
	struct sprof_maps_line line;

	assert_true(sprof_maps_parse_line(&cursor, &line));
	assert_true(line.start == 0x55d0c8a00000 && line.end == 0x55d0c8a02000);
	assert_int_equal(line.offset, 0x3000);
	assert_true(line.device == ((uint64_t)0xfe << 32 | 1));
	assert_int_equal(line.inode, 1048581);
	assert_true(line.executable);
	assert_int_equal(line.path_length, strlen("/usr/bin/cat"));
	assert_true(sprof_maps_parse_line(&cursor, &line));
	assert_false(line.executable);
	assert_int_equal(line.path_length, strlen("[stack]"));
	assert_false(sprof_maps_parse_line(&cursor, &line));
	assert_string_equal(cursor, "");
}

static void only_the_x_is_looked_at(void **state)
{
	static const char *const permissions[] = {"r-xp", "--xp", "rwxp", "r-xs", "rw-p", "---p"};

	for (int i = 0; i < 6; i++) {
		struct sprof_maps_line line;
		char text[128];
		const char *cursor = text;

		snprintf(text, sizeof(text), "1000-2000 %s 0 0:0 0 \n", permissions[i]);
		assert_true(sprof_maps_parse_line(&cursor, &line));
		assert_int_equal(line.executable, i < 4);
	}
}

static void odd_names(void **state)
{
	expect_path("1000-2000 r-xp 0 08:01 7 \n", "");
	expect_path("1000-2000 r-xp 0 08:01 7\n", "");
	expect_path("1000-2000 r-xp 0 08:01 7", "");
	expect_path("1000-2000 r-xp 0 08:01 7   /a b  c \n", "/a b  c ");
	expect_path("1000-2000 r-xp 0 08:01 7   /x\\012y\n", "/x\\012y");
	expect_path("1000-2000 r-xp 0 08:01 7   /x (deleted)\n", "/x (deleted)");
	expect_path("1000-2000 r-xp 0 08:01 7   /\xff\xfe\n", "/\xff\xfe");
	expect_path("1000-2000 rw-p 0 00:00 0   [anon:a b]\n", "[anon:a b]");
}

static void a_path_longer_than_any_buffer(void **state)
{
	size_t length = 200000;
	char *text = malloc(length + 64), *path;
	struct sprof_maps_line line;
	const char *cursor = text;

	assert_non_null(text);
	path = text + sprintf(text, "1000-2000 r-xp 0 08:01 7 ");
	memset(path, 'p', length);
	strcpy(path + length, "\nnext");
	assert_true(sprof_maps_parse_line(&cursor, &line));
	assert_int_equal(line.path_length, length);
	assert_ptr_equal(line.path, path);
	assert_string_equal(cursor, "next");
	free(text);
}

static void huge_numbers(void **state)
{
	const char *cursor =
		"ffffffffff600000-ffffffffffffffff --xp ffffffffffffffff ffffffff:fffff "
		"18446744073709551615 [vsyscall]\n";
	struct sprof_maps_line line;

	assert_true(sprof_maps_parse_line(&cursor, &line));
	assert_true(line.start == 0xffffffffff600000 && line.end == UINT64_MAX);
	assert_true(line.offset == UINT64_MAX && line.inode == UINT64_MAX);
	assert_true(line.device == ((uint64_t)0xffffffff << 32 | 0xfffff));
	cursor = "123456789abcdef012345-ffffffffffffffffffffff r-xp 0 0:0 0\n";
	assert_true(sprof_maps_parse_line(&cursor, &line));
}

/* A refused line leaves the cursor where it was. */
static void missing_fields(void **state)
{
	static const char *const texts[] = {"", "\n", "1000", "1000-", "1000-2000", "1000-2000 ",
		"1000-2000 r-x", "1000-2000 r-xp", "1000-2000 r-xp ", "1000-2000 r-xp 0",
		"1000-2000 r-xp 0 ", "1000-2000 r-xp 0 08",
		"1000-2000 r-xp 0 08:", "-2000 r-xp 0 0:0 0", "1000-2000 r-xp 0 08:01",
		"1000-2000 r-xp 0 08:01 ", "1000-2000 r-xp 0 08:01 x\n",
		"1000 2000 r-xp 0 08:01 7\n", "1000-2000 r-xp0 08:01 7\n", "hello\n",
		"1000-2000 r-xp\n0 08:01 7\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sprof_maps_line line;
		const char *cursor = texts[i];

		assert_false(sprof_maps_parse_line(&cursor, &line));
		assert_ptr_equal(cursor, texts[i]);
	}
}

/* strtoull(3) would take a sign, blanks and the next line; the kernel writes none of them. */
static void numbers_are_digits_only(void **state)
{
	static const char *const texts[] = {" 1000-2000 r-xp 0 08:01 7\n",
		"\n1000-2000 r-xp 0 08:01 7\n", "-1000-2000 r-xp 0 08:01 7\n",
		"1000--2000 r-xp 0 08:01 7\n", "1000-2000 r-xp -1 08:01 7\n",
		"1000-2000 r-xp 0 08:01 -7\n",
		"1000-2000 r-xp 0 08:01 \n3000-4000 r-xp 0 08:01 7\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sprof_maps_line line;
		const char *cursor = texts[i];

		assert_false(sprof_maps_parse_line(&cursor, &line));
	}
}

TEST_MAIN("maps-line")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_and_the_next),
		cmocka_unit_test(only_the_x_is_looked_at),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(a_path_longer_than_any_buffer),
		cmocka_unit_test(huge_numbers),
		cmocka_unit_test(missing_fields),
		cmocka_unit_test(numbers_are_digits_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
