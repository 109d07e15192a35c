/*
 * sampler/hop: leaving the CPUs of the target's threads, on the CPUs that the test has.
 */
#include "sampler/hop.h"

#include <sched.h>
#include <time.h>

#include "base/clock.h"
#include "tests/unit/check.h"

static struct sprof_hop hop;
static cpu_set_t here;

static int set_up(void **state)
{
	sprof_hop_init(&hop);
	/* The kernel may move us before the test does. */
	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	return 0;
}

static int tear_down(void **state)
{
	sprof_hop_finish(&hop);
	return 0;
}

static bool is_here(void)
{
	return CPU_ISSET((size_t)sched_getcpu(), &here);
}

/* Once its scout is back, which tells nobody. */
static void leave(void)
{
	if (!hop.usable) {
		print_message("only one CPU: nothing can be left\n");
		skip();
	}
	while (is_here()) {
		sprof_hop_leave(&hop, &here);
		assert_false(hop.stays);
		nanosleep(&(struct timespec){.tv_nsec = SPROF_NS_PER_MS}, NULL);
	}
}

static void the_cpus_are_left(void **state)
{
	leave();
	assert_non_null(hop.scout);
}

static void where_all_are_theirs_we_stay(void **state)
{
	sprof_hop_leave(&hop, &hop.allowed);
	assert_null(hop.scout);
}

static void avoided_cpus_are_no_way(void **state)
{
	hop.avoided = hop.allowed;
	hop.avoided_until_ns = UINT64_MAX;
	sprof_hop_leave(&hop, &here);
	assert_null(hop.scout);
}

static void wait_for(uint64_t ns)
{
	hop.queued_ns -= ns;
}

static void a_long_wait_gives_all_cpus_back(void **state)
{
	cpu_set_t now;

	leave();
	wait_for(3 * (uint64_t)SPROF_NS_PER_MS);
	assert_false(sprof_hop_leave(&hop, &here));
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &hop.allowed));
	assert_false(hop.stays);
}

/* As behind a real-time thread. */
static void after_a_very_long_wait_nothing_is_left_again(void **state)
{
	leave();
	wait_for(SPROF_NS_PER_S);
	assert_false(sprof_hop_leave(&hop, &here));
	assert_true(hop.stays);
	sched_setaffinity(0, sizeof(here), &here);
	/* If the machine is busy, it may be kept waiting, and then be anywhere. */
	if (sprof_hop_leave(&hop, &here))
		assert_true(is_here());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN("hop")
{
	const struct CMUnitTest tests[] = {
		TEST(the_cpus_are_left),
		TEST(where_all_are_theirs_we_stay),
		TEST(avoided_cpus_are_no_way),
		TEST(a_long_wait_gives_all_cpus_back),
		TEST(after_a_very_long_wait_nothing_is_left_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
