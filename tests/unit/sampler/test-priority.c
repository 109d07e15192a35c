/*
 * sampler/priority: what the kernel says of this thread while it is raised, and after it is
 * restored. A child tries each policy, so no test changes the next one's.
 */
#include "sampler/stop/hop.h"

#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/proc/procfs.h"
#include "tests/unit/check.h"

enum { NICE = 3, SLACK_NS = 77777, SLICE_NS = 700 * 1000, DEADLINE = 6, REFUSED = 77 };

struct seen {
	struct sprof_sched_attributes attributes;
	int slack_ns;
};

static struct seen look(void)
{
	struct seen seen = {.slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)};

	syscall(SYS_sched_getattr, 0, &seen.attributes, sizeof(seen.attributes), 0);
	return seen;
}

static bool is_same(const struct seen *one, const struct seen *other)
{
	return one->attributes.policy == other->attributes.policy &&
		one->attributes.flags == other->attributes.flags &&
		one->attributes.nice == other->attributes.nice &&
		one->attributes.priority == other->attributes.priority &&
		one->attributes.runtime == other->attributes.runtime &&
		one->slack_ns == other->slack_ns;
}

/* 0: all is restored, and only permitted changes were made while raised. */
static int try(const struct sprof_sched_attributes *attributes)
{
	struct sprof_priority own;
	struct seen before, raised, after;

	prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
	if (syscall(SYS_sched_setattr, 0, attributes, 0))
		return REFUSED;
	before = look();
	sprof_priority_init(&own);
	sprof_priority_raise(&own);
	raised = look();
	sprof_priority_restore(&own);
	after = look();
	if (raised.attributes.policy != before.attributes.policy ||
		raised.attributes.nice > before.attributes.nice)
		return 1;
	/* For a policy that the user chose, only the timer slack changes. */
	raised.slack_ns = before.slack_ns;
	if (attributes->policy != SCHED_OTHER && !is_same(&before, &raised))
		return 2;
	return is_same(&before, &after) ? 0 : 3;
}

static int try_in_child(struct sprof_sched_attributes attributes)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	attributes.size = sizeof(attributes);
	if (!pid)
		_exit(try(&attributes));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void ordinary_threads_get_back_what_they_had(void **state)
{
	assert_int_equal(try_in_child((struct sprof_sched_attributes){.nice = NICE}), 0);
	assert_int_equal(
		try_in_child((struct sprof_sched_attributes){.nice = NICE, .runtime = SLICE_NS}),
		0);
}

static void other_policies_are_kept(void **state)
{
	assert_int_equal(
		try_in_child((struct sprof_sched_attributes){.policy = SCHED_BATCH, .nice = NICE}),
		0);
	assert_int_equal(
		try_in_child((struct sprof_sched_attributes){.policy = SCHED_IDLE, .nice = NICE}),
		0);
}

static void real_time_policies_are_kept(void **state)
{
	int result =
		try_in_child((struct sprof_sched_attributes){.policy = SCHED_FIFO, .priority = 10});

	if (result == REFUSED)
		skip(); /* needs CAP_SYS_NICE: CI is root */
	assert_int_equal(result, 0);
	assert_int_equal(
		try_in_child((struct sprof_sched_attributes){.policy = SCHED_RR, .priority = 1}),
		0);
}

static bool starves(uint64_t policy, uint64_t priority, uint32_t own_policy, uint32_t own_priority)
{
	const struct sprof_priority own = {
		.known = true,
		.attributes = {.policy = own_policy, .priority = own_priority},
	};

	return sprof_priority_is_starved_by(&own, sprof_priority_rank(policy, priority));
}

static void who_starves_whom(void **state)
{
	assert_false(starves(SCHED_OTHER, 0, SCHED_OTHER, 0));
	assert_false(starves(SCHED_BATCH, 0, SCHED_IDLE, 0));
	assert_true(starves(SCHED_FIFO, 1, SCHED_OTHER, 0));
	assert_true(starves(SCHED_RR, 99, SCHED_IDLE, 0));
	assert_true(starves(DEADLINE, 0, SCHED_OTHER, 0));
	assert_true(starves(DEADLINE, 0, SCHED_FIFO, 99));
	assert_false(starves(SCHED_FIFO, 9, SCHED_FIFO, 10));
	assert_true(starves(SCHED_FIFO, 10, SCHED_FIFO, 10));
	assert_false(starves(SCHED_FIFO, 99, DEADLINE, 0));
}

TEST_MAIN("priority")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_threads_get_back_what_they_had),
		cmocka_unit_test(other_policies_are_kept),
		cmocka_unit_test(real_time_policies_are_kept),
		cmocka_unit_test(who_starves_whom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
