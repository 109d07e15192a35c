/*
 * cmd/process-choice: that a choice never finds this process or its parents.
 */
#include "cmd/cli/process-choice.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "tests/unit/check.h"

static void never_itself(void **state)
{
	const struct sprof_process_choice choice = {.pattern = "^never-itself$", .all = true};
	struct sprof_pids found = {.count = 0};
	struct sprof_error err = {0};

	assert_return_code(prctl(PR_SET_NAME, "never-itself"), errno);
	assert_false(sprof_process_choice_find(&choice, &found, &err));
	assert_int_equal(err.kind, SPROF_ERROR_NOT_FOUND);
	assert_int_equal(found.count, 0);
}

static void not_a_pattern(void **state)
{
	const struct sprof_process_choice choice = {.pattern = "["};
	struct sprof_pids found = {.count = 0};
	struct sprof_error err = {0};

	assert_false(sprof_process_choice_find(&choice, &found, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_non_null(strstr(err.message, "not a regular expression"));
}

TEST_MAIN("process-choice")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_itself),
		cmocka_unit_test(not_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
