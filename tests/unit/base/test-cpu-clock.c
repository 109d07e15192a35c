/*
 * base/cpu-clock: the CPU time of a child that has used some and stopped itself, and the timer that is
 * deleted.
 */
#include "base/cpu-clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "tests/unit/check.h"

enum { WORK_NS = 20 * SPROF_NS_PER_MS };

static uint64_t now_of(clockid_t id)
{
	struct timespec time;

	assert_int_equal(clock_gettime(id, &time), 0);
	return (uint64_t)time.tv_sec * SPROF_NS_PER_S + (uint64_t)time.tv_nsec;
}

static pid_t start_worker(void)
{
	const pid_t pid = fork();

	assert_int_not_equal(pid, -1);
	if (pid) {
		assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
		return pid;
	}
	while (now_of(CLOCK_PROCESS_CPUTIME_ID) < WORK_NS)
		;
	raise(SIGSTOP);
	_exit(0);
}

static void stop_worker(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool has_timer(void)
{
	char text[256];

	return sprof_proc_read_path("/proc/self/timers", text, sizeof(text)) > 0;
}

static void has_the_time_of_the_process(void **state)
{
	const pid_t pid = start_worker();
	struct sprof_cpu_clock clock = {0};
	clockid_t id;

	assert_int_equal(clock_getcpuclockid(pid, &id), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(sprof_cpu_clock_read(&clock, pid), now_of(id));
		assert_true(sprof_cpu_clock_read(&clock, pid) >= WORK_NS);
	}
	sprof_cpu_clock_close(&clock);
	assert_false(has_timer());
	assert_int_equal(sprof_cpu_clock_read(&clock, pid), now_of(id));
	sprof_cpu_clock_close(&clock);
	stop_worker(pid);
}

static void is_unknown_without_a_process(void **state)
{
	struct sprof_cpu_clock clock = {0};
	const pid_t pid = start_worker();

	stop_worker(pid);
	assert_int_equal(sprof_cpu_clock_read(&clock, pid), 0);
	sprof_cpu_clock_close(&clock);
}

TEST_MAIN("cpu-clock")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_time_of_the_process),
		cmocka_unit_test(is_unknown_without_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
