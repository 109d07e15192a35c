/*
 * events/cpus: lists of CPUs as the kernel writes them.
 */
#include "events/perf/cpus.h"

#include "tests/unit/check.h"

static void reads_lists(void **state)
{
	struct sprof_cpus cpus;

	assert_true(sprof_cpus_parse("0-2,5,8-9\n", &cpus));
	assert_int_equal(cpus.count, 6);
	assert_int_equal(cpus.items[2], 2);
	assert_int_equal(cpus.items[3], 5);
	assert_int_equal(cpus.items[5], 9);
	sprof_cpus_finish(&cpus);
	assert_true(sprof_cpus_parse("7", &cpus));
	assert_int_equal(cpus.count, 1);
	assert_int_equal(cpus.items[0], 7);
	sprof_cpus_finish(&cpus);
}

static void refuses_what_is_no_list(void **state)
{
	static const char *const cases[] = {
		"", "\n", "a", "-1", "0-", "3-1", "0,", "0,0", "2-3,1", "0 1", "0-99999999", "1x"};
	struct sprof_cpus cpus;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(sprof_cpus_parse(cases[i], &cpus));
		sprof_cpus_finish(&cpus);
	}
}

TEST_MAIN("cpus")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_lists),
		cmocka_unit_test(refuses_what_is_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
