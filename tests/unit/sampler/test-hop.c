/*
 * sampler/hop: leaving the CPUs of the target's threads, on the CPUs that the test has.
 */
#include "sampler/stop/hop.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "tests/unit/check.h"

static struct sprof_hop hop;
static struct sprof_cpu_set here;

static int set_up(void **state)
{
	sprof_hop_init(&hop);
	/* The kernel may move us before the test does. */
	here = sprof_cpu_set_only(sched_getcpu());
	sprof_cpu_set_confine(0, &here);
	return 0;
}

static int tear_down(void **state)
{
	sprof_hop_finish(&hop);
	return 0;
}

static bool is_here(void)
{
	return sprof_cpu_set_has(&here, sched_getcpu());
}

static void require_another(void)
{
	if (hop.usable)
		return;
	print_message("only one CPU: nothing can be left\n");
	skip();
}

static bool may_be_here(void)
{
	struct sprof_cpu_set now;

	assert_true(sprof_cpu_set_of(0, &now));
	now = sprof_cpu_set_without(&here, &now);
	return !sprof_cpu_set_count(&now);
}

static void the_cpus_are_left(void **state)
{
	require_another();
	sprof_hop_off(&hop, &here);
	assert_false(may_be_here() || is_here());
}

static void where_all_are_theirs_we_stay(void **state)
{
	sprof_hop_off(&hop, &hop.allowed);
	assert_true(is_here());
}

static void avoided_cpus_are_no_way(void **state)
{
	hop.avoided = hop.allowed;
	hop.avoided_until_ns = UINT64_MAX;
	sprof_hop_off(&hop, &here);
	assert_true(is_here());
}

static void wait_for(uint64_t ns)
{
	hop.queued_ns -= ns;
}

static void a_long_wait_gives_all_cpus_back(void **state)
{
	struct sprof_cpu_set now;

	require_another();
	sprof_hop_off(&hop, &here);
	wait_for(3 * (uint64_t)SPROF_NS_PER_MS);
	assert_true(sprof_hop_widen_if_queued(&hop));
	assert_true(sprof_cpu_set_of(0, &now));
	assert_true(!memcmp(&now, &hop.allowed, sizeof(*&hop.allowed)));
}

/* As behind a real-time thread: where it was, we don't come again. */
static void after_a_very_long_wait_the_cpu_is_avoided(void **state)
{
	require_another();
	wait_for(SPROF_NS_PER_S);
	assert_true(sprof_hop_widen_if_queued(&hop));
	assert_true(!memcmp(&hop.avoided, &here, sizeof(*&here)));
	assert_false(may_be_here());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN("hop")
{
	const struct CMUnitTest tests[] = {
		TEST(the_cpus_are_left),
		TEST(where_all_are_theirs_we_stay),
		TEST(avoided_cpus_are_no_way),
		TEST(a_long_wait_gives_all_cpus_back),
		TEST(after_a_very_long_wait_the_cpu_is_avoided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
