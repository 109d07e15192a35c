/*
 * attach/requirements: which kernel releases are recent enough, and which /proc is that of the
 * caller's own pid namespace.
 */
#include "attach/start/requirements.h"

#include <stdio.h>
#include <unistd.h>

#include "attach/start/machine.h"
#include "base/proc.h"
#include "tests/unit/check.h"

static void test_recent_releases(void **state)
{
	static const char *const releases[] = {"5.7.0", "5.7", "5.7.0-rc1", "5.7-rc1", "5.8.18",
		"5.10.0-32-amd64", "5.15.0-1034-aws", "5.15.167.4-microsoft-standard-WSL2",
		"5.19.17", "6.0.0", "6.1.0-47-cloud-amd64", "6.8.0-45-generic",
		"6.11.5-300.fc41.x86_64", "6.12", "6.18.44-fc-v669", "7.0.0-rc1", "10.0.1",
		"100.2"};

	for (unsigned i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		if (!sprof_requirements_has_release(releases[i]))
			fail_msg("%s is recent enough", releases[i]);
	}
}

static void test_old_releases(void **state)
{
	static const char *const releases[] = {"5.6.19", "5.6", "5.4.0-200-generic", "5.4.284",
		"5.0.0", "4.19.0-27-amd64", "4.4.0", "4.18.0-553.el8_10.x86_64",
		"3.10.0-1160.el7.x86_64", "2.6.32-754.el6.x86_64", "2.6.78", "0.99", "", "5", "5.",
		"a.b", "generic", "-", "x6.1"};

	for (unsigned i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		if (sprof_requirements_has_release(releases[i]))
			fail_msg("'%s' is too old, or no release", releases[i]);
	}
}

static void test_own_proc(void **state)
{
	assert_true(sprof_requirements_has_own_proc("Pid:\t7\nNSpid:\t7\n", 7));
	/* A kernel without pid namespaces. */
	assert_true(sprof_requirements_has_own_proc("Name:\tsprof\nPid:\t7\n", 7));
}

static void test_proc_of_another_namespace(void **state)
{
	assert_false(sprof_requirements_has_own_proc("Pid:\t4711\nNSpid:\t4711\t7\n", 7));
	/* By chance the same number. */
	assert_false(sprof_requirements_has_own_proc("Pid:\t7\nNSpid:\t7\t7\n", 7));
	assert_false(sprof_requirements_has_own_proc("Pid:\t7\nNSpid:\t7\t3\t1\n", 7));
	assert_false(sprof_requirements_has_own_proc("Pid:\t8\nNSpid:\t8\n", 7));
	assert_false(sprof_requirements_has_own_proc("Pid:\t8\n", 7));
	assert_false(sprof_requirements_has_own_proc("NSpid:\t\n", 7));
	assert_false(sprof_requirements_has_own_proc("", 7));
}

static void test_this_machine(void **state)
{
	char status[8192];
	struct sprof_error err = {0};

	assert_true(sprof_proc_read_path("/proc/self/status", status, sizeof(status)) > 0);
	assert_true(sprof_requirements_has_own_proc(status, getpid()));
	if (!sprof_machine_check(&err))
		fail_msg("%s", err.message);
}

TEST_MAIN("requirements")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recent_releases),
		cmocka_unit_test(test_old_releases),
		cmocka_unit_test(test_own_proc),
		cmocka_unit_test(test_proc_of_another_namespace),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
