/*
 * memory/files: mappings of one file are one row.
 */
#include "memory/files.h"

#include "tests/unit/check.h"
#include "tests/unit/memory/texts.h"

enum { KB = 1024 };

static void the_largest_comes_first(void **state)
{
	struct sprof_memory_files files = {0};

	assert_true(sprof_memory_files_add(&files, smaps_text));
	assert_int_equal(files.count, 3);
	assert_string_equal(files.items[0].name, "[heap]");
	assert_false(files.items[0].is_file);
	assert_string_equal(files.items[1].name, "/usr/bin/head");
	assert_true(files.items[1].is_file);
	assert_int_equal(files.items[1].figures.rss, 32 * KB);
	assert_int_equal(files.items[1].figures.pss, 16 * KB);
	assert_int_equal(files.items[1].figures.uss, 4 * KB);
	assert_string_equal(files.items[2].name, "[anon]");
	sprof_memory_files_finish(&files);
}

static void nothing_is_nothing(void **state)
{
	struct sprof_memory_files files = {0};

	assert_true(sprof_memory_files_add(&files, ""));
	assert_int_equal(files.count, 0);
	sprof_memory_files_finish(&files);
}

TEST_MAIN("files")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_comes_first),
		cmocka_unit_test(nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
