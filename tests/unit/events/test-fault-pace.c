/*
 * events/fault-pace: short programs have all their page faults, and a storm of them is affordable.
 */
#include "events/faults/pace.h"

#include "base/clock.h"
#include "tests/unit/check.h"

enum { TURN_NS = SPROF_NS_PER_MS };

struct run {
	struct sprof_fault_pace pace;
	struct sprof_fault_load load;
	double left; /* faults that no record stands for yet */
	uint64_t records;
};

static struct run begin(uint64_t fixed)
{
	struct run run = {
		.pace = sprof_fault_pace_begin(fixed), .load = {.now_ns = SPROF_NS_PER_S}};

	assert_false(sprof_fault_pace_step(&run.pace, &run.load));
	return run;
}

/* Faults at a rate, of whose records at most `room` fit between two readings. */
static void go_on(struct run *run, double per_second, uint64_t room, uint64_t length_ns)
{
	for (uint64_t passed = 0; passed < length_ns; passed += TURN_NS) {
		uint64_t records;

		run->left += per_second * TURN_NS / 1e9;
		records = (uint64_t)(run->left / (double)run->pace.period);
		run->left -= (double)(records * run->pace.period);
		run->load.now_ns += TURN_NS;
		run->load.records = records < room ? records : room;
		run->load.lost += records - run->load.records;
		run->records += run->load.records;
		(void)sprof_fault_pace_step(&run->pace, &run->load);
		assert_true(run->pace.period && !(run->pace.period & (run->pace.period - 1)));
	}
}

static void few_faults_are_all_recorded(void **state)
{
	struct run run = begin(0);

	go_on(&run, 100000, 200, 30 * SPROF_NS_PER_MS);
	assert_int_equal(run.pace.period, 1);
	go_on(&run, 7000, 200, 60 * (uint64_t)SPROF_NS_PER_S);
	assert_int_equal(run.pace.period, 1);
	assert_int_equal(run.load.lost, 0);
}

static void a_storm_is_affordable(void **state)
{
	static const double rates[] = {20e3, 200e3, 2e6, 50e6};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct run run = begin(0);

		go_on(&run, rates[i], 500, 10 * (uint64_t)SPROF_NS_PER_S);
		assert_true(run.pace.period > 1);
		assert_true(run.records < 10 * 16000 + 4000);
		/* It recovers. */
		go_on(&run, 100, 500, 60 * (uint64_t)SPROF_NS_PER_S);
		assert_int_equal(run.pace.period, 1);
	}
}

static void what_is_lost_makes_it_longer(void **state)
{
	struct run run = begin(0);

	go_on(&run, 1e6, 100, 3 * TURN_NS);
	assert_in_range(run.pace.period, 64, 256);
}

static void a_fixed_one_stays(void **state)
{
	struct sprof_fault_pace pace = sprof_fault_pace_begin(50);
	struct sprof_fault_load load = {.now_ns = SPROF_NS_PER_S};

	for (int i = 0; i < 100; i++) {
		load.now_ns += TURN_NS;
		load.records = 5000;
		load.lost += 100;
		assert_false(sprof_fault_pace_step(&pace, &load));
	}
	assert_int_equal(pace.period, 50);
}

/* There were not enough descriptors for other events. */
static void a_period_that_stays_is_not_tried_again(void **state)
{
	struct run run = begin(0);

	go_on(&run, 2e6, 200, 20 * SPROF_NS_PER_MS);
	assert_true(run.pace.period > 1);
	sprof_fault_pace_keep(&run.pace, 1);
	go_on(&run, 50e6, 200, 20 * SPROF_NS_PER_MS);
	assert_int_equal(run.pace.period, 1);
}

TEST_MAIN("fault-pace")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_faults_are_all_recorded),
		cmocka_unit_test(a_storm_is_affordable),
		cmocka_unit_test(a_period_that_stays_is_not_tried_again),
		cmocka_unit_test(what_is_lost_makes_it_longer),
		cmocka_unit_test(a_fixed_one_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
