/* Tests for interp/python/holds.c: how many values of a frame are in use. tests/e2e has whole processes. */
#include "interp/python/python.h"
#include "tests/unit/check.h"

/* Instructions 5 to 7 leave two values, 100 to 163 one, by the format's groups of six bits. */
static const uint8_t table[] = {0x85, 3, 20, 5, 0xc1, 36, 0x41, 0, 0x43, 8, 2};

static void the_table_says_how_many(void **state)
{
	assert_int_equal(sprof_python_depth(table, sizeof(table), 4), 0);
	assert_int_equal(sprof_python_depth(table, sizeof(table), 5), 2);
	assert_int_equal(sprof_python_depth(table, sizeof(table), 7), 2);
	assert_int_equal(sprof_python_depth(table, sizeof(table), 8), 0);
	assert_int_equal(sprof_python_depth(table, sizeof(table), 100), 1);
	assert_int_equal(sprof_python_depth(table, sizeof(table), 163), 1);
	assert_int_equal(sprof_python_depth(table, sizeof(table), 164), 0);
}

static void cut_tables_end_the_search(void **state)
{
	static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	for (size_t size = 0; size < sizeof(table); size++)
		assert_int_equal(sprof_python_depth(table, size, 120), 0);
	assert_int_equal(sprof_python_depth(endless, sizeof(endless), 5), 0);
}

TEST_MAIN("python-holds")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_says_how_many),
		cmocka_unit_test(cut_tables_end_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
