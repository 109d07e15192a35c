/*
 * cmd/placeholders and cmd/rank: names of outputs, and the order in which launchers are believed.
 */
#include "cmd/cli/placeholders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli/mpi-rank.h"
#include "tests/unit/check.h"

static const char *const variables[] = {"SPROF_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
	"PMI_RANK", "MV2_COMM_WORLD_RANK", "ALPS_APP_PE", "SLURM_PROCID", "OMPI_COMM_WORLD_SIZE",
	"PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"};

enum { RANKS = 7, VARIABLES = sizeof(variables) / sizeof(variables[0]) };

static int clear(void **state)
{
	for (int i = 0; i < VARIABLES; i++)
		unsetenv(variables[i]);
	return 0;
}

static const struct sprof_placeholders_moment moment = {.time = 1700000000, .number = 7};

static void assert_expands(const char *path, const char *wanted)
{
	struct sprof_error err = {0};
	const char *got;

	assert_true(sprof_placeholders_expand("--output", path, &moment, &got, &err));
	assert_string_equal(got, wanted);
}

static void assert_refused(const char *path, const char *words)
{
	struct sprof_error err = {0};
	const char *got;

	assert_false(sprof_placeholders_expand("--output", path, &moment, &got, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_non_null(strstr(err.message, words));
}

static void placeholders_are_replaced(void **state)
{
	char wanted[64];

	setenv("PMI_RANK", "3", 1);
	setenv("SPROF_TEST_NAME", "my", 1);
	assert_expands("prof-%r.pb.gz", "prof-3.pb.gz");
	assert_expands("%q{SPROF_TEST_NAME}/%r%%", "my/3%");
	snprintf(wanted, sizeof(wanted), "%d.folded", (int)getpid());
	assert_expands("%p.folded", wanted);
	snprintf(wanted, sizeof(wanted), "%s-3", sprof_host_name());
	assert_expands("%h-%r", wanted);
	assert_expands("%t-%n-%r", "1700000000-7-3");
}

static void a_name_that_changes_has_time_or_number(void **state)
{
	assert_true(sprof_placeholders_change("x-%t.pb.gz"));
	assert_true(sprof_placeholders_change("%n"));
	assert_true(sprof_placeholders_change("%p%%%n"));
	assert_false(sprof_placeholders_change("x-%p-%h-%r-%q{t}.pb.gz"));
	assert_false(sprof_placeholders_change("%%t"));
	assert_false(sprof_placeholders_change("tn%"));
	assert_false(sprof_placeholders_change(""));
}

static void names_without_placeholders_stay(void **state)
{
	assert_expands("a b.txt", "a b.txt");
	assert_expands("", "");
}

static void what_is_not_understood_is_refused(void **state)
{
	assert_refused("%r.txt", "%r");
	assert_refused("%y", "%y");
	assert_refused("100%", "unknown placeholder");
	assert_refused("%q", "%q");
	assert_refused("%q{", "%q");
	assert_refused("%q{}", "%q");
	assert_refused("%q{SPROF_NO_SUCH}", "SPROF_NO_SUCH is not set");
	setenv("SPROF_RANK", "../../etc", 1);
	assert_refused("%r", "no part of a file name");
}

static void closest_launcher_wins(void **state)
{
	for (int i = RANKS - 1; i >= 0; i--) {
		char number[8];

		snprintf(number, sizeof(number), "%d", i);
		setenv(variables[i], number, 1);
		assert_string_equal(sprof_rank_find(), number);
	}
	clear(NULL);
	assert_null(sprof_rank_find());
}

static void a_name_that_all_ranks_share_is_refused(void **state)
{
	setenv("PMI_RANK", "1", 1);
	assert_refused("x.txt", "every rank");
	assert_refused("%h.txt", "every rank");
	assert_expands("/dev/null", "/dev/null");
	setenv("PMI_SIZE", "4", 1);
	assert_refused("x.txt", "every rank");
	setenv("PMI_SIZE", "1", 1);
	assert_expands("x.txt", "x.txt");
}

TEST_MAIN("placeholders")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(placeholders_are_replaced, clear),
		cmocka_unit_test_setup(a_name_that_changes_has_time_or_number, clear),
		cmocka_unit_test_setup(names_without_placeholders_stay, clear),
		cmocka_unit_test_setup(what_is_not_understood_is_refused, clear),
		cmocka_unit_test_setup(closest_launcher_wins, clear),
		cmocka_unit_test_setup(a_name_that_all_ranks_share_is_refused, clear),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
