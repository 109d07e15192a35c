/*
 * What the files of a thread say of its process. As root, the test becomes an ordinary user for a while.
 */
#include "attach/thread.h"

#include <stdlib.h>
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

/* The last one between two moments counts. */
static void moments_of_going_on_are_kept_until_they_are_forgotten(void **state)
{
	struct sprof_thread thread = {.keeps_resumes = true};

	assert_int_equal(sprof_thread_resumed_between(&thread, 0, UINT64_MAX), 0);
	for (uint64_t ns = 100; ns <= 10000; ns += 100)
		sprof_thread_note_resume(&thread, ns);
	assert_int_equal(sprof_thread_resumed_between(&thread, 0, UINT64_MAX), 10000);
	assert_int_equal(sprof_thread_resumed_between(&thread, 150, 250), 200);
	assert_int_equal(sprof_thread_resumed_between(&thread, 150, 450), 400);
	assert_int_equal(sprof_thread_resumed_between(&thread, 200, 300), 0);
	sprof_thread_forget_resumes(&thread, 5000);
	assert_int_equal(thread.resumes.count, 50);
	assert_int_equal(sprof_thread_resumed_between(&thread, 0, 5001), 0);
	assert_int_equal(sprof_thread_resumed_between(&thread, 5000, 5101), 5100);
	free(thread.resumes.ns);
}

static void nobody_keeps_moments_unasked(void **state)
{
	struct sprof_thread thread = {0};

	sprof_thread_note_resume(&thread, 100);
	assert_int_equal(thread.resumes.count, 0);
}

/* Of 100 ns between two stops it ran 60 and waited 25 for a CPU: it stood still for 15. */
static void what_a_stop_takes_is_what_is_left(void **state)
{
	struct sprof_standing standing = {0};
	struct sprof_proc_schedstat figures = {.cpu_ns = 1000, .runq_ns = 10, .timeslices = 5};

	sprof_standing_add(&standing, 5000, &figures, true);
	assert_int_equal(sprof_standing_take(&standing), 0);
	figures = (struct sprof_proc_schedstat){1060, 35, 6};
	sprof_standing_add(&standing, 5100, &figures, false);
	assert_int_equal(standing.ns, 15);
	/* The kernel's figures are late: more than the time that has passed. */
	figures = (struct sprof_proc_schedstat){1170, 35, 7};
	sprof_standing_add(&standing, 5200, &figures, false);
	assert_int_equal(sprof_standing_take(&standing), 15);
	assert_int_equal(sprof_standing_take(&standing), 0);
}

static void what_was_slept_is_no_stop(void **state)
{
	struct sprof_standing standing = {0};
	struct sprof_proc_schedstat figures = {.cpu_ns = 1000, .timeslices = 5};

	sprof_standing_add(&standing, 5000, &figures, true);
	figures = (struct sprof_proc_schedstat){1010, 0, 7};
	sprof_standing_add(&standing, 6000, &figures, true);
	assert_int_equal(standing.ns, 0);
	figures = (struct sprof_proc_schedstat){1020, 0, 8};
	sprof_standing_add(&standing, 6012, &figures, false);
	assert_int_equal(standing.ns, 2);
}

TEST_MAIN("thread")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_has_ended_does_not_make_its_process_unreadable),
		cmocka_unit_test(moments_of_going_on_are_kept_until_they_are_forgotten),
		cmocka_unit_test(nobody_keeps_moments_unasked),
		cmocka_unit_test(what_a_stop_takes_is_what_is_left),
		cmocka_unit_test(what_was_slept_is_no_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
