/*
 * Sampling goes off and on, in a made-up world: what threads have while it is off is not theirs.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)
#define MS ((uint64_t)SPROF_NS_PER_MS)

enum { SCHEDULES = 200 };

static struct fake_world world;

static int set_up(void **state)
{
	fake_init(&world, 1);
	return 0;
}

static void check_duration(uint64_t on_ms, uint64_t off_ms)
{
	assert_in_range(world.quality.duration_ns, (on_ms - 2) * MS, (on_ms + 2) * MS);
	assert_in_range(world.quality.off_ns, (off_ms - 2) * MS, (off_ms + 2) * MS);
	/* The planned ticks of each time, and those that open and close it. */
	assert_in_range(world.quality.ticks, on_ms - 3, on_ms + 6);
}

static void off_and_on(void **state)
{
	const struct fake_thread *sleeper = fake_add_sleeper(&world, 0),
				 *runner = fake_add_runner(&world);

	fake_order(&world, 20 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 70 * MS, SPROF_ORDER_ON);
	fake_run_well(&world);
	check_duration(50, 50);
	assert_in_range(sleeper->charged[SPROF_TIME_SLEEP], 48 * MS, 52 * MS);
	assert_in_range(runner->samples, 47, 56);
	/* One thread of the profile, all along. */
	assert_int_equal(runner->lasts, 1);
}

static void nobody_is_looked_at_while_it_is_off(void **state)
{
	const struct fake_thread *sleeper = fake_add_sleeper(&world, 0),
				 *runner = fake_add_runner(&world);

	world.options.starts_off = true;
	fake_run_well(&world);
	assert_int_equal(world.interrupts, 0);
	assert_int_equal(world.walks, 0);
	assert_int_equal(runner->looks + sleeper->looks, 0);
	assert_int_equal(runner->told + sleeper->told, 0);
	assert_int_equal(world.quality.duration_ns, 0);
	assert_in_range(world.quality.off_ns, 98 * MS, 102 * MS);
}

static void it_may_start_off(void **state)
{
	fake_add_sleeper(&world, 0);
	fake_add_runner(&world);
	world.options.starts_off = true;
	fake_order(&world, 30 * MS, SPROF_ORDER_ON);
	fake_order(&world, 60 * MS, SPROF_ORDER_OFF);
	fake_run_well(&world);
	check_duration(30, 70);
}

static void an_order_twice_is_one(void **state)
{
	fake_add_runner(&world);
	fake_order(&world, 10 * MS, SPROF_ORDER_ON);
	fake_order(&world, 20 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 30 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 40 * MS, SPROF_ORDER_ON);
	fake_order(&world, 50 * MS, SPROF_ORDER_ON);
	fake_run_well(&world);
	check_duration(80, 20);
}

static void a_toggle_is_the_other_state(void **state)
{
	fake_add_runner(&world);
	fake_order(&world, 10 * MS, SPROF_ORDER_TOGGLE);
	fake_order(&world, 40 * MS, SPROF_ORDER_TOGGLE);
	fake_order(&world, 50 * MS, SPROF_ORDER_TOGGLE);
	fake_run_well(&world);
	check_duration(20, 80);
}

static void orders_end_a_delay(void **state)
{
	fake_add_runner(&world);
	world.options.delay_ns = 50 * MS;
	fake_order(&world, 20 * MS, SPROF_ORDER_ON);
	fake_order(&world, 80 * MS, SPROF_ORDER_OFF);
	fake_run_well(&world);
	/* The duration counts from the end of the delay: until 150 ms. */
	check_duration(60, 70);
}

static void off_in_a_delay_stays_off(void **state)
{
	fake_add_runner(&world);
	world.options.delay_ns = 50 * MS;
	fake_order(&world, 20 * MS, SPROF_ORDER_OFF);
	fake_run_well(&world);
	assert_int_equal(world.quality.duration_ns, 0);
	assert_int_equal(world.quality.ticks, 0);
}

/* They are born or end while it is off, or live only then. */
static void births_and_ends_while_it_is_off(void **state)
{
	struct fake_thread *born, *gone, *only;

	fake_add_sleeper(&world, 0);
	born = fake_add(&world, 0, 40 * MS);
	fake_act(born, DOING_USER, 1000 * MS);
	gone = fake_add(&world, 0, 0);
	fake_act(gone, DOING_USER, 50 * MS);
	fake_act(gone, DOING_END, 0);
	only = fake_add(&world, 0, 45 * MS);
	fake_act(only, DOING_USER, 10 * MS);
	fake_act(only, DOING_END, 0);
	fake_order(&world, 30 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 70 * MS, SPROF_ORDER_ON);
	fake_run_well(&world);
	assert_in_range(born->charged[SPROF_TIME_USER], 27 * MS, 31 * MS);
	assert_in_range(gone->charged[SPROF_TIME_USER], 28 * MS, 31 * MS);
	assert_int_equal(only->told, 0);
	assert_int_equal(only->samples, 0);
}

static void a_late_stop_is_no_sample(void **state)
{
	struct fake_thread *runner;

	fake_add_sleeper(&world, 0);
	runner = fake_add_runner(&world);
	runner->latency_ns = 5 * MS;
	fake_order(&world, 30 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 60 * MS, SPROF_ORDER_ON);
	fake_run_well(&world);
}

static void periods_go_on(void **state)
{
	fake_add_sleeper(&world, 0);
	fake_add_runner(&world);
	world.options.period_ns = 25 * MS;
	fake_order(&world, 20 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 60 * MS, SPROF_ORDER_ON);
	fake_run_well(&world);
	assert_int_equal(world.periods, 3);
}

static void by_chance(uint64_t seed)
{
	uint64_t ns = 0;
	size_t count;

	fake_init(&world, seed);
	world.options.starts_off = fake_random(&world, 2);
	world.options.period_ns = fake_random(&world, 4) ? 0 : 30 * MS;
	world.can_ask = fake_random(&world, 2);
	world.is_alone = fake_random(&world, 2);
	count = 1 + fake_random(&world, 25);
	for (size_t i = 0; i < count; i++) {
		struct fake_thread *thread =
			fake_add(&world, 0, i ? fake_random(&world, 80) * MS : 0);

		fake_random_acts(&world, thread, fake_random(&world, 150) * MS);
		if (fake_random(&world, 3))
			fake_act(thread, DOING_SLEEP, 1000 * MS);
		else
			fake_act(thread, DOING_END, 0);
		thread->latency_ns = fake_random(&world, 40 * US);
	}
	for (count = fake_random(&world, FAKE_ORDERS); count; count--) {
		ns += fake_random(&world, 30 * MS);
		fake_order(&world, ns, (enum sprof_order)(SPROF_ORDER_ON + fake_random(&world, 3)));
	}
	fake_run(&world);
	if (world.wrong[0])
		fail_msg("SPROF_TEST_SEED=%llu: %s", (unsigned long long)seed, world.wrong);
}

static void switches_by_chance(void **state)
{
	const char *given = getenv("SPROF_TEST_SEED");

	if (given) {
		by_chance(strtoull(given, NULL, 10));
		return;
	}
	for (uint64_t seed = 1; seed <= SCHEDULES; seed++)
		by_chance(seed);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("switch")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(off_and_on),
		SCENARIO(nobody_is_looked_at_while_it_is_off),
		SCENARIO(it_may_start_off),
		SCENARIO(an_order_twice_is_one),
		SCENARIO(a_toggle_is_the_other_state),
		SCENARIO(orders_end_a_delay),
		SCENARIO(off_in_a_delay_stays_off),
		SCENARIO(births_and_ends_while_it_is_off),
		SCENARIO(a_late_stop_is_no_sample),
		SCENARIO(periods_go_on),
		SCENARIO(switches_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
