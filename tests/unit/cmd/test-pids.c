/*
 * cmd/pids: lists of ids, from one option or from several.
 */
#include "cmd/cli/pids.h"

#include <string.h>

#include "tests/unit/check.h"

static void lists_join(void **state)
{
	struct sprof_pids pids = {.count = 0};
	struct sprof_error err = {0};
	char text[64];

	assert_true(sprof_value_pids(&pids, "3,1", &err));
	assert_true(sprof_value_pids(&pids, "2,3,2147483647", &err));
	sprof_pids_list(&pids, ",", text, sizeof(text));
	assert_string_equal(text, "3,1,2,2147483647");
}

static void what_is_no_list(void **state)
{
	static const char *const bad[] = {"", "0", "-1", "+1", " 1", "1 ", "x", "1x", "1,", ",1",
		"1,,2", "1;2", "0x10", "2147483648", "99999999999999999999", "1.5"};
	struct sprof_error err = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sprof_pids pids = {.count = 0};

		assert_false(sprof_value_pids(&pids, bad[i], &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	}
}

static void a_full_list(void **state)
{
	struct sprof_pids pids = {.count = 0};
	struct sprof_error err = {0};
	char text[16];

	for (int i = 1; i <= SPROF_PIDS_MAX; i++)
		assert_true(sprof_pids_add(&pids, i));
	assert_true(sprof_pids_add(&pids, 1));
	assert_false(sprof_pids_add(&pids, SPROF_PIDS_MAX + 1));
	assert_false(sprof_value_pids(&pids, "1000", &err));
	assert_non_null(strstr(err.message, "more than 256"));
	sprof_pids_list(&pids, ",", text, sizeof(text));
	assert_true(strlen(text) < sizeof(text));
}

TEST_MAIN("pids")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_join),
		cmocka_unit_test(what_is_no_list),
		cmocka_unit_test(a_full_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
