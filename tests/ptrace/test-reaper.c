/*
 * attach/reaper: threads that have ended are reaped, and the stop of another one is still there for the
 * tracing thread: it would be no wait's any more, and the thread would stand still for ever.
 */
#include "attach/reaper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

static void *end_when_told(void *data)
{
	const int *told = data;
	pid_t tid = gettid();
	char byte;

	if (write(told[3], &tid, sizeof(tid)) != sizeof(tid) || read(told[0], &byte, 1) != 1)
		_exit(1);
	return NULL;
}

/* A process with a thread that ends when a byte comes; returns its pid. */
static pid_t start(int *told)
{
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || pthread_create(&thread, NULL, end_when_told, told))
		_exit(1);
	for (;;)
		pause();
}

static void only_what_has_ended_is_taken(void **state)
{
	struct sprof_reaper reaper;
	siginfo_t info = {.si_pid = 0};
	int told[4];
	pid_t pid, tid;

	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(told + 2), 0);
	pid = start(told);
	assert_int_equal(read(told[2], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, tid, 0, 0), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
	wait_for_state(pid, pid, 't');
	assert_int_equal(write(told[1], "", 1), 1);
	wait_for_state(pid, tid, 'Z');

	sprof_reaper_start(&reaper, pid);
	wait_for_state(pid, tid, 'X');
	sprof_reaper_stop(&reaper);

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | __WALL), 0);
	assert_int_equal(info.si_pid, pid);
	assert_int_equal(info.si_code, CLD_TRAPPED);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 4; i++)
		close(told[i]);
}

TEST_MAIN("reaper")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_has_ended_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
