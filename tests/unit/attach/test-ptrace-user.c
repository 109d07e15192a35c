/*
 * attach/ptrace-user: a program that imports ptrace() is told from one that doesn't, and damage is
 * no reason for either.
 */
#include "attach/tracers/user.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "attach/tracers/program.h"
#include "tests/unit/check.h"

static bool check_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool result;

	assert_true(fd >= 0);
	result = sprof_ptrace_user_file(fd);
	close(fd);
	return result;
}

/* A sanitizer's runtime has a ptrace() of its own, so that nothing is imported. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ITS_OWN_PTRACE true
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ITS_OWN_PTRACE true
#endif
#if !defined(HAS_ITS_OWN_PTRACE)
#define HAS_ITS_OWN_PTRACE false
#endif

/* This program does, by this line. */
static void test_importer(void **state)
{
	if (HAS_ITS_OWN_PTRACE)
		return;
	assert_int_equal(ptrace(PTRACE_DETACH, getpid(), 0, 0), -1);
	assert_true(check_path("/proc/self/exe"));
	assert_true(sprof_program_may_trace(getpid()));
}

static void test_others(void **state)
{
	assert_false(check_path("/bin/sh"));
	assert_false(check_path("/dev/null"));
	assert_false(check_path("/etc/passwd"));
	assert_false(sprof_program_may_trace(0));
}

static void test_leak_checkers(void **state)
{
	static const char text[] = "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/liblsan.so.0\n";
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);

	assert_true(sprof_leak_checker_name(text, sizeof(text)));
	assert_false(sprof_leak_checker_name(text, 20));
	assert_false(sprof_leak_checker_file(fd));
	assert_false(sprof_program_checks_leaks(0, true));
	close(fd);
}

/* Copies of this program with one byte changed: any answer, but no harm. */
static void test_damage(void **state)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    to = memfd_create("copy", MFD_CLOEXEC);
	unsigned char bytes[4096];
	ssize_t length;

	while ((length = read(from, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(to, bytes, (size_t)length), length);
	assert_int_equal(pread(from, bytes, 1024, 0), 1024);
	for (int i = 0; i < 1024; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			unsigned char changed = bytes[i] ^ (unsigned char)(1u << bit);

			assert_int_equal(pwrite(to, &changed, 1, i), 1);
			sprof_ptrace_user_file(to);
		}
		assert_int_equal(pwrite(to, &bytes[i], 1, i), 1);
	}
	assert_int_equal(sprof_ptrace_user_file(to), !HAS_ITS_OWN_PTRACE);
	close(from);
	close(to);
}

TEST_MAIN("ptrace-user")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_importer),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_leak_checkers),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
