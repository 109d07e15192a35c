/*
 * output/calls/dot: a graph of estimated counts says so, and one of counted calls does not.
 */
#include <stdlib.h>
#include <string.h>

#include "output/calls/report.h"
#include "output/calls/windows.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"

static char *drawn(const struct sprof_calls_windows *windows)
{
	const struct sprof_activation_books books = {0};
	const struct sprof_calls_report report = {.books = &books, .windows = windows};
	int fd;
	struct sprof_out *out = written_open(&fd);

	assert_true(sprof_calls_dot(&report, out));
	return written_take(out, fd);
}

static void estimates_have_a_label(void **state)
{
	static const struct sprof_calls_windows windows = {.count = 7};
	char *counted = drawn(NULL), *estimated = drawn(&windows);

	assert_non_null(strstr(estimated, "  label=\"estimates: only windows were watched\";\n"));
	assert_null(strstr(counted, "label="));
	assert_non_null(strstr(counted, "digraph calls {\n"));
	free(counted);
	free(estimated);
}

TEST_MAIN("calls-dot")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_have_a_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
