/*
 * cmd/dump/lock-cycles: which cycles a second look confirms. One thread is a child that sleeps; the
 * other one is this thread, which has slept and woken up between the looks.
 */
#include "cmd/dump/lock-cycles.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc-status.h"
#include "tests/unit/check.h"

static pid_t start_sleeper(void)
{
	char state[32] = "", text[SPROF_PROC_STATUS_MAX];
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	while (state[0] != 'S') {
		assert_true(sprof_proc_status_read(pid, 0, text, sizeof(text)) > 0);
		assert_true(sprof_proc_status_field(text, "State", state, sizeof(state)));
	}
	return pid;
}

/* Whether the cycle of this thread, which waits for such a lock of the sleeper, and the sleeper is confirmed. */
static bool is_confirmed(enum sprof_lock_kind lock, pid_t sleeper)
{
	struct sprof_thread_stack threads[] = {
		{.tid = getpid(), .sampled = true, .lock = lock, .holder = sleeper},
		{.tid = sleeper, .sampled = true, .lock = SPROF_LOCK_MUTEX, .holder = getpid()},
	};
	const struct sprof_stacks stacks = {.threads = threads, .thread_count = 2};
	struct sprof_lock_cycles cycles;
	struct sprof_lock_sleeps sleeps;
	bool found;

	assert_true(sprof_lock_cycles_find(&stacks, false, &cycles));
	assert_int_equal(cycles.count, 1);
	assert_true(sprof_lock_sleeps_note(&cycles, &stacks, &sleeps));
	poll(NULL, 0, 1);
	sprof_lock_cycles_confirm(&cycles, &sleeps, &stacks);
	found = cycles.cycles[0] && cycles.cycles[1];
	sprof_lock_sleeps_finish(&sleeps);
	sprof_lock_cycles_finish(&cycles);
	return found;
}

/* Python's wait for its lock wakes up again and again; other waits that end may have found the lock free. */
static void who_waits_for_the_interpreter_may_wake_up(void **state)
{
	const pid_t sleeper = start_sleeper();

	assert_true(is_confirmed(SPROF_LOCK_INTERPRETER, sleeper));
	assert_false(is_confirmed(SPROF_LOCK_MUTEX, sleeper));
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
}

TEST_MAIN("lock-cycles")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_for_the_interpreter_may_wake_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
