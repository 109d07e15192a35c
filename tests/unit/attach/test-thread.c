/*
 * What the files of a thread say of its process. As root, the test becomes an ordinary user for a while.
 */
#include "attach/thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum { NOBODY = 65534 };

/* A child that has ended and is not reaped. */
static pid_t make_zombie(bool is_nobodys)
{
	siginfo_t info;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(is_nobodys && setresuid(NOBODY, NOBODY, NOBODY));
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(info.si_status, 0);
	return pid;
}

/* Its files are root's then; that says nothing of the process's other threads. */
static void a_thread_that_has_ended_does_not_make_its_process_unreadable(void **state)
{
	const bool is_root = !geteuid();
	const pid_t pid = make_zombie(is_root);
	struct sprof_process process = {.pid = pid, .maps_file = -1, .memory_file = -1};
	struct sprof_thread *thread = sprof_thread_create(0, pid, &process);
	struct sprof_proc_syscall call;

	assert_non_null(thread);
	if (is_root)
		assert_int_equal(seteuid(NOBODY), 0);
	assert_false(sprof_thread_read_syscall(thread, &call));
	assert_false(process.denied);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	sprof_thread_destroy(thread);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST_MAIN("thread")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_has_ended_does_not_make_its_process_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
