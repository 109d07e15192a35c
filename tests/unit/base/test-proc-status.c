/*
 * base/proc-status: fields by their whole names only, and values without the blanks around them.
 */
#include "base/proc-status.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

static const char status[] = "Name:\tTgid: 1 \nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t42\n"
			     "TracerPid:\t7\nUid:\t1000\t1001\t1002\t1003\nGroups:\t \n"
			     "CapEff:\t000001ffffffffff\nSeccomp:\t0";

static void expect_field(const char *field, const char *value)
{
	char found[32];

	assert_true(sprof_proc_status_field(status, field, found, sizeof(found)));
	assert_string_equal(found, value);
}

static void status_fields(void **state)
{
	expect_field("State", "S (sleeping)");
	expect_field("Uid", "1000\t1001\t1002\t1003");
	expect_field("CapEff", "000001ffffffffff");
	expect_field("Seccomp", "0");
}

static void status_fields_come_without_the_blanks_around_them(void **state)
{
	expect_field("Name", "Tgid: 1");
	expect_field("Groups", "");
}

static void status_numbers(void **state)
{
	long value = -1;

	/* The Tgid in the name is not the field. */
	assert_true(sprof_proc_status_number(status, "Tgid", &value));
	assert_int_equal(value, 42);
	assert_true(sprof_proc_status_number(status, "Uid", &value));
	assert_int_equal(value, 1000);
	assert_false(sprof_proc_status_number(status, "Groups", &value));
	assert_false(sprof_proc_status_number(status, "State", &value));
	assert_int_equal(value, 1000);
}

static void status_fields_that_are_not_there(void **state)
{
	char value[8];

	assert_false(sprof_proc_status_field(status, "Pid", value, sizeof(value)));
	assert_false(sprof_proc_status_field(status, "Stat", value, sizeof(value)));
	assert_false(sprof_proc_status_field(status, "", value, sizeof(value)));
	assert_false(sprof_proc_status_field("", "Pid", value, sizeof(value)));
	assert_false(sprof_proc_status_field("Pid", "Pid", value, sizeof(value)));
	/* Too long for its room: refused, not cut. */
	assert_false(sprof_proc_status_field(status, "State", value, sizeof(value)));
}

static void the_innermost_id_is_the_last(void **state)
{
	assert_int_equal(sprof_proc_status_inner_id(status, "Uid"), 1003);
	assert_int_equal(sprof_proc_status_inner_id("NSpid:\t42\n", "NSpid"), 42);
	assert_int_equal(sprof_proc_status_inner_id(status, "NSpid"), 0);
}

static void the_status_of_this_process(void **state)
{
	long number;

	assert_true(sprof_proc_status_read_number(getpid(), "Tgid", &number));
	assert_int_equal(number, getpid());
	assert_false(sprof_proc_status_read_number(getpid(), "Nothing", &number));
	assert_false(sprof_proc_status_read_number(INT_MAX, "Tgid", &number));
}

/* NGROUPS_MAX is 65536. What stands behind them is found all the same. */
static void a_list_of_groups_of_any_length(void **state)
{
	char text[SPROF_PROC_STATUS_MAX], groups[64];
	FILE *file = tmpfile();
	ssize_t length;
	long number;

	assert_non_null(file);
	fputs("Name:\tx\nTgid:\t7\nGroups:\t", file);
	for (int i = 0; i < 65536; i++)
		fprintf(file, "%d ", 1000000000 + i);
	fputs("\nVmHWM:\t  12 kB\nvoluntary_ctxt_switches:\t34\n", file);
	assert_int_equal(fflush(file), 0);
	length = sprof_proc_status_read_open(fileno(file), text, sizeof(text));
	assert_int_equal(length, strlen(text));
	assert_true(sprof_proc_status_number(text, "Tgid", &number));
	assert_int_equal(number, 7);
	assert_true(sprof_proc_status_number(text, "VmHWM", &number));
	assert_int_equal(number, 12);
	assert_true(sprof_proc_status_number(text, "voluntary_ctxt_switches", &number));
	assert_int_equal(number, 34);
	assert_false(sprof_proc_status_field(text, "Groups", groups, sizeof(groups)));
	fclose(file);
}

static void sets_of_signals(void **state)
{
	static const char caught[] = "SigIgn:\t0000000000001000\nSigCgt:\t8000000000000402\n";

	assert_true(sprof_proc_status_has_signal(caught, "SigCgt", 2));
	assert_true(sprof_proc_status_has_signal(caught, "SigCgt", 11));
	assert_true(sprof_proc_status_has_signal(caught, "SigCgt", 64));
	assert_false(sprof_proc_status_has_signal(caught, "SigCgt", 1));
	assert_false(sprof_proc_status_has_signal(caught, "SigCgt", 13));
	assert_false(sprof_proc_status_has_signal(caught, "SigCgt", 0));
	assert_false(sprof_proc_status_has_signal(caught, "SigCgt", 65));
	assert_false(sprof_proc_status_has_signal(caught, "SigBlk", 2));
}

TEST_MAIN("proc-status")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_fields),
		cmocka_unit_test(status_fields_come_without_the_blanks_around_them),
		cmocka_unit_test(status_numbers),
		cmocka_unit_test(status_fields_that_are_not_there),
		cmocka_unit_test(the_innermost_id_is_the_last),
		cmocka_unit_test(the_status_of_this_process),
		cmocka_unit_test(a_list_of_groups_of_any_length),
		cmocka_unit_test(sets_of_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
