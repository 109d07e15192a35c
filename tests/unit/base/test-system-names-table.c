/*
 * cmd/system-names-table: the same names as those of glibc.
 */
#include "base/system-names.h"

#include <signal.h>
#include <string.h>

#include "tests/unit/check.h"

enum { BEYOND = 300 };

static void check_same(const char *ours, const char *theirs)
{
	assert_int_equal(!ours, !theirs);
	if (ours)
		assert_string_equal(ours, theirs);
}

static void errors_have_glibcs_names(void **state)
{
	for (int i = -1; i < BEYOND; i++)
		check_same(sprof_error_number_name(i), strerrorname_np(i));
}

static void signals_have_glibcs_names(void **state)
{
	for (int i = -1; i < BEYOND; i++)
		check_same(sprof_signal_name(i), sigabbrev_np(i));
}

TEST_MAIN("system-names-table")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_glibcs_names),
		cmocka_unit_test(signals_have_glibcs_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
