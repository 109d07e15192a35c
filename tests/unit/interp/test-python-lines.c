/*
 * Tables of lines, in the encodings of all versions: made by CPython itself, with the lines that it
 * gives for them.
 */
#include "interp/python/python.h"
#include "tests/unit/check.h"

/* def f(a):\n  if a:\n    a = 1\n\n\n  return a */
static void test_pairs(void **state)
{
	static const uint8_t table[] = {0, 1, 4, 1, 4, 3};

	assert_int_equal(sprof_python_line(0x0309, table, sizeof(table), 1, 0), 2);
	assert_int_equal(sprof_python_line(0x0309, table, sizeof(table), 1, 3), 2);
	assert_int_equal(sprof_python_line(0x0309, table, sizeof(table), 1, 4), 3);
	assert_int_equal(sprof_python_line(0x0309, table, sizeof(table), 1, 100), 6);
	/* a function with one line */
	assert_int_equal(sprof_python_line(0x0308, table, 0, 7, 2), 7);
	/* lines can go back */
	assert_int_equal(sprof_python_line(0x0308, (const uint8_t[]){2, 0xff}, 2, 7, 2), 6);
}

static void test_ranges(void **state)
{
	static const uint8_t table[] = {4, 1, 2, 0x80, 4, 1};

	assert_int_equal(sprof_python_line(0x030a, table, sizeof(table), 1, 0), 2);
	assert_int_equal(sprof_python_line(0x030a, table, sizeof(table), 1, 4), 0);
	assert_int_equal(sprof_python_line(0x030a, table, sizeof(table), 1, 6), 3);
	assert_int_equal(sprof_python_line(0x030a, table, sizeof(table), 1, 10), 0);
}

static void test_locations(void **state)
{
	/* no columns, +1, 2 units; one line +1, 1 unit; short, 1 unit; nothing, 1 unit; long, +70 */
	static const uint8_t table[] = {0x80 | 13 << 3 | 1, 2, 0x80 | 11 << 3, 5, 9, 0x80 | 3 << 3,
		0x12, 0x80 | 15 << 3, 0x80 | 14 << 3, 0x40 | (140 & 0x3f), 140 >> 6, 0, 1, 1};

	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, -2), 10);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 0), 11);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 2), 11);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 4), 12);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 6), 12);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 8), 0);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 10), 82);
	assert_int_equal(sprof_python_line(0x030b, table, sizeof(table), 10, 12), 0);
}

static void test_cut_tables(void **state)
{
	static const uint8_t table[] = {0x80 | 14 << 3, 0x7f, 0x7f};

	for (size_t size = 0; size <= sizeof(table); size++)
		for (uint32_t version = 0x0308; version < 0x030f; version++)
			sprof_python_line(version, table, size, 1, 0);
}

/* Steps that are no lines add up to none. */
static void test_far_lines(void **state)
{
	uint8_t table[1200];

	for (size_t i = 0; i < sizeof(table); i++)
		table[i] = i % 12 ? 0x7e : 0x80 | 14 << 3;
	sprof_python_line(0x030b, table, sizeof(table), UINT32_MAX, 1000);
}

TEST_MAIN("python-lines")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_cut_tables),
		cmocka_unit_test(test_far_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
