/*
 * sampler/patience: ticks of made-up machines, on the test's own clock.
 */
#include "sampler/stop/stops.h"

#include "base/clock.h"
#include "tests/unit/check.h"

enum {
	US = 1000,
	BEGIN = 1000 * US,
	PERIOD = 10 * SPROF_NS_PER_MS,
	STOP = 20 * US, /* of a thread that runs */
};

/* How long a tick over `cpus` CPUs takes; threads on the stuck ones don't stop. */
static uint64_t tick_of(unsigned cpus, uint64_t stuck, uint64_t period, bool soon)
{
	struct patience patience = {0};
	uint64_t now = BEGIN;

	sprof_patience_begin(&patience, now, period, false);
	for (unsigned i = 0; i < cpus; i++) {
		uint64_t deadline = sprof_patience_deadline(&patience, now, soon);

		assert_true(deadline >= now + 10 * STOP);
		now = stuck >> i & 1 ? deadline : now + STOP;
		if (!(stuck >> i & 1))
			sprof_patience_deadline(&patience, now, soon);
		sprof_patience_end(&patience, now);
	}
	return now - BEGIN;
}

static void stops_that_come_cost_what_they_take(void **state)
{
	assert_int_equal(tick_of(16, 0, PERIOD, true), 16 * STOP);
	assert_int_equal(tick_of(16, 0, PERIOD, false), 16 * STOP);
}

static void many_cpus_in_vain_cost_little_more_than_one(void **state)
{
	uint64_t one = tick_of(1, 1, PERIOD, true);

	assert_int_equal(one, PERIOD / 2);
	assert_int_equal(tick_of(16, 0xffff, PERIOD, true), one + 15 * 200 * US);
	assert_int_equal(tick_of(16, 0xffff, 100 * PERIOD, true), 20000 * US + 15 * 200 * US);
	/* Stops in between don't make the next wait shorter. */
	assert_int_equal(tick_of(16, 0x8000, PERIOD, true), one + 15 * STOP);
	assert_int_equal(tick_of(3, 5, PERIOD, true), one + STOP + 200 * US);
}

static void a_part_of_a_wait_leaves_the_rest(void **state)
{
	struct patience patience = {0};

	sprof_patience_begin(&patience, BEGIN, PERIOD, false);
	sprof_patience_deadline(&patience, BEGIN, true);
	sprof_patience_end(&patience, BEGIN + 2000 * US);
	assert_int_equal(
		sprof_patience_deadline(&patience, BEGIN + 2000 * US, true), BEGIN + 5000 * US);
}

static void threads_without_a_cpu_get_a_quarter_of_the_period(void **state)
{
	assert_int_equal(tick_of(1, 1, PERIOD, false), PERIOD / 4);
	assert_int_equal(tick_of(1, 1, 100 * PERIOD, false), 20000 * US);
	assert_int_equal(tick_of(2, 3, PERIOD, false), PERIOD / 4 + 200 * US);
	assert_int_equal(tick_of(1, 1, 100 * US, false), 200 * US);
}

static void a_thorough_tick_is_patient_at_any_rate(void **state)
{
	struct patience patience = {0};

	sprof_patience_begin(&patience, BEGIN, 100 * US, true);
	assert_int_equal(sprof_patience_deadline(&patience, BEGIN, true), BEGIN + 20000 * US);
	/* Each stop extends the wait. */
	assert_int_equal(
		sprof_patience_deadline(&patience, 9 * BEGIN, true), 9 * BEGIN + 20000 * US);
	for (unsigned i = 0; i < 4; i++) {
		sprof_patience_deadline(&patience, BEGIN, true);
		sprof_patience_end(&patience, BEGIN + 20000 * US);
	}
	assert_int_equal(sprof_patience_deadline(&patience, BEGIN, true), BEGIN + 20000 * US);
	sprof_patience_end(&patience, BEGIN + 20000 * US);
	assert_int_equal(sprof_patience_deadline(&patience, BEGIN, true), BEGIN + 200 * US);
	patience = (struct patience){0};
	sprof_patience_begin(&patience, BEGIN, 100 * US, false);
	assert_int_equal(sprof_patience_deadline(&patience, BEGIN, true), BEGIN + 5000 * US);
	/* The first wait took one of the 2.5 ms; the time between the two waits does not count. */
	patience = (struct patience){0};
	sprof_patience_begin(&patience, BEGIN, 10000 * US, false);
	sprof_patience_end(&patience, BEGIN + 1000 * US);
	sprof_patience_begin(&patience, BEGIN + 9000 * US, 10000 * US, false);
	assert_int_equal(
		sprof_patience_deadline(&patience, BEGIN + 9000 * US, false), BEGIN + 10500 * US);
}

TEST_MAIN("patience")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_that_come_cost_what_they_take),
		cmocka_unit_test(many_cpus_in_vain_cost_little_more_than_one),
		cmocka_unit_test(a_part_of_a_wait_leaves_the_rest),
		cmocka_unit_test(threads_without_a_cpu_get_a_quarter_of_the_period),
		cmocka_unit_test(a_thorough_tick_is_patient_at_any_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
