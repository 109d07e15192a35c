/*
 * The sampler in a made-up world with one tick only, as for a dump: each thread is seen in it.
 */
#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)
#define MS ((uint64_t)SPROF_NS_PER_MS)

static struct fake_world world;

static void begin(uint64_t seed)
{
	fake_init(&world, seed);
	world.options.once = true;
}

static void who_runs_and_who_sleeps_is_seen(void **state)
{
	const struct fake_thread *runner, *sleeper;

	begin(1);
	runner = fake_add_runner(&world);
	sleeper = fake_add_sleeper(&world, 0);
	fake_run_well(&world);
	assert_int_equal(runner->samples, 1);
	assert_int_equal(sleeper->samples, 1);
	assert_int_equal(world.interrupts, 1);
}

/* Between the look and the stop it falls asleep, and wakes again before the next look: it gets more of them. */
static void who_moves_all_the_time_is_seen(void **state)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct fake_thread *thread;

		begin(seed);
		thread = fake_add(&world, 0, 0);
		while (thread->act_count + 2 < FAKE_ACTS) {
			fake_act(thread, DOING_SLEEP, 1 + fake_random(&world, 8 * US));
			fake_act(thread, DOING_USER, 1 + fake_random(&world, 8 * US));
		}
		fake_run_well(&world);
		assert_int_equal(thread->samples, 1);
		assert_int_equal(world.quality.samples_lost, 0);
	}
}

static void one_sample_of_every_thread_and_no_more(void **state)
{
	const struct fake_thread *sleeper, *runner;

	begin(1);
	sleeper = fake_add_sleeper(&world, 0);
	runner = fake_add_runner(&world);
	world.options.rate_hz = 1;
	fake_run_well(&world);
	assert_int_equal(sleeper->samples, 1);
	assert_int_equal(runner->samples, 1);
	assert_int_equal(world.quality.ticks, 1);
}

/* The wait for its stop is over, and its stop comes right then: it has all registers. */
static void the_only_sample_is_not_of_a_stop_that_is_not_collected(void **state)
{
	for (uint64_t late = 0; late < 200; late++) {
		struct fake_thread *runner;

		begin(1);
		runner = fake_add_runner(&world);
		runner->latency_ns = 20 * MS + late * 2 * US;
		world.cost_ns = 200 * US;
		world.options.rate_hz = 1;
		fake_run_well(&world);
		assert_int_equal(runner->samples, 1);
		assert_int_equal(runner->states[SPROF_STATE_USER], 1);
	}
}

TEST_MAIN("once")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_runs_and_who_sleeps_is_seen),
		cmocka_unit_test(who_moves_all_the_time_is_seen),
		cmocka_unit_test(one_sample_of_every_thread_and_no_more),
		cmocka_unit_test(the_only_sample_is_not_of_a_stop_that_is_not_collected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
