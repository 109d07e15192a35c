/*
 * sampler/budget: whatever ticks cost, their sum stays below the share, and the rate recovers.
 */
#include "sampler/loop/schedule.h"

#include "base/clock.h"
#include "tests/unit/check.h"

static const uint64_t ms = SPROF_NS_PER_MS, second = SPROF_NS_PER_S;

/* A run on its own clock; each tick costs something. */
struct run {
	struct sprof_budget budget;
	uint64_t now, spent, ticks, period;
};

static struct run begin(double share)
{
	struct run run = {.now = 1000 * second, .period = 10 * ms};

	sprof_budget_init(&run.budget, share, run.period);
	sprof_budget_begin(&run.budget, run.now, 0);
	return run;
}

static void tick(struct run *run, uint64_t cost)
{
	run->now += run->period > cost ? run->period : cost;
	run->spent += cost;
	run->ticks++;
	run->period = sprof_budget_period(&run->budget, run->now, run->spent);
}

/* The share spent in `duration`, with a constant cost per tick. */
static double spend(struct run *run, uint64_t duration, uint64_t cost)
{
	uint64_t begin_ns = run->now, before = run->spent;

	while (run->now < begin_ns + duration)
		tick(run, cost);
	return (double)(run->spent - before) / (double)(run->now - begin_ns);
}

static void assert_between(double value, double low, double high)
{
	if (value < low || value > high)
		fail_msg("%g is not between %g and %g", value, low, high);
}

static void cheap_ticks_keep_the_rate(void **state)
{
	struct run run = begin(0.05);

	assert_between(spend(&run, 10 * second, ms / 10), 0.0099, 0.0101);
	assert_int_equal(run.ticks, 1000);
}

static void expensive_ticks_become_rare(void **state)
{
	for (uint64_t cost = 1; cost <= 30; cost++) {
		struct run run = begin(0.05);

		assert_between(spend(&run, 30 * second, cost * ms), 0.040, 0.0515);
	}
}

static void the_first_second_pays_too(void **state)
{
	struct run run = begin(0.10);

	assert_between(spend(&run, 3 * second, 5 * ms), 0.08, 0.115);
}

static void one_spike_is_paid_back_and_forgotten(void **state)
{
	struct run run = begin(0.05);

	spend(&run, 10 * second, ms / 10);
	tick(&run, 200 * ms);
	assert_true(run.period <= 40 * ms);
	spend(&run, 8 * second, ms / 10);
	assert_int_equal(run.period, 10 * ms);
}

static void the_rate_comes_back(void **state)
{
	struct run run = begin(0.05);

	spend(&run, 30 * second, 5 * ms);
	assert_true(run.period > 50 * ms);
	spend(&run, 5 * second, ms / 100);
	assert_int_equal(run.period, 10 * ms);
}

static void quiet_hours_save_nothing_for_noise(void **state)
{
	struct run run = begin(0.05);

	spend(&run, 3600 * second, ms / 100);
	assert_between(spend(&run, 10 * second, 5 * ms), 0.04, 0.056);
}

static void what_is_too_expensive_is_done_once_a_second(void **state)
{
	struct run run = begin(0.001);

	spend(&run, 100 * second, 50 * ms);
	assert_int_equal(run.period, second);
}

TEST_MAIN("budget")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cheap_ticks_keep_the_rate),
		cmocka_unit_test(expensive_ticks_become_rare),
		cmocka_unit_test(the_first_second_pays_too),
		cmocka_unit_test(one_spike_is_paid_back_and_forgotten),
		cmocka_unit_test(the_rate_comes_back),
		cmocka_unit_test(quiet_hours_save_nothing_for_noise),
		cmocka_unit_test(what_is_too_expensive_is_done_once_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
