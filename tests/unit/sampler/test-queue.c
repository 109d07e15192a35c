/*
 * The sampler in a made-up world: whose time a wait for a CPU is.
 */
#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define MS ((uint64_t)SPROF_NS_PER_MS)

enum { ROUNDS = 40 };

static struct fake_world world;

static struct fake_thread *add_starved(bool by_kernel)
{
	struct fake_thread *thread;

	fake_init(&world, 1);
	world.options.by_kernel = by_kernel;
	thread = fake_add(&world, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		fake_act(thread, DOING_SLEEP, 7 * MS);
		fake_act(thread, DOING_READY, 4 * MS);
		fake_act(thread, DOING_USER, 3 * MS);
		fake_act(thread, DOING_READY, 5 * MS);
		fake_act(thread, DOING_USER, 2 * MS);
	}
	world.options.duration_ns = (uint64_t)ROUNDS * 21 * MS;
	return thread;
}

static const struct fake_thread *run(bool by_kernel, double rate_hz)
{
	const struct fake_thread *thread = add_starved(by_kernel);

	world.options.rate_hz = rate_hz;
	fake_run_well(&world);
	assert_in_range(thread->charged[SPROF_TIME_RUNQ], 340 * MS, 361 * MS);
	return thread;
}

static void check(bool by_kernel)
{
	const struct fake_thread *thread = run(by_kernel, 1000);

	assert_in_range(thread->queued_ns, 150 * MS, 161 * MS);
}

/* Its sleep has lasted longer for that; a wait in the middle of its work is the work's. */
static void after_a_sleep_it_is_the_sleeps(void **state)
{
	check(false);
	check(true);
}

/* A look finds that it has had two turns: only one of them began with a sleep. */
static void at_a_low_rate_it_is_shared_out(void **state)
{
	assert_in_range(run(false, 100)->queued_ns, 60 * MS, 170 * MS);
	assert_in_range(run(true, 100)->queued_ns, 60 * MS, 170 * MS);
}

static void where_only_running_threads_count_it_is_left_out(void **state)
{
	const struct fake_thread *thread = add_starved(false);

	world.options.mode = SPROF_MODE_CPU;
	fake_run_well(&world);
	assert_int_equal(thread->queued_ns, 0);
	assert_int_equal(thread->charged[SPROF_TIME_RUNQ], 0);
}

/* The stop comes where it leaves the call. It works elsewhere. */
static void after_a_sleep_it_is_no_sign_of_work(void **state)
{
	struct fake_thread *thread;

	fake_init(&world, 1);
	thread = fake_add(&world, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		fake_act(thread, DOING_SLEEP, 2 * MS);
		fake_act(thread, DOING_READY, 4 * MS);
		fake_act(thread, DOING_CALL, MS / 100);
		fake_act(thread, DOING_USER, 3 * MS);
	}
	world.options.duration_ns = (uint64_t)ROUNDS * 9 * MS;
	world.options.rate_hz = 300;
	fake_run_well(&world);
	assert_true(thread->states[SPROF_STATE_SYS] > 10);
	assert_true(thread->ns[SPROF_STATE_SYS] < 2 * MS);
	assert_true(thread->ns[SPROF_STATE_USER] > (uint64_t)ROUNDS * 2 * MS);
}

TEST_MAIN("queue")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_sleep_it_is_the_sleeps),
		cmocka_unit_test(at_a_low_rate_it_is_shared_out),
		cmocka_unit_test(where_only_running_threads_count_it_is_left_out),
		cmocka_unit_test(after_a_sleep_it_is_no_sign_of_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
