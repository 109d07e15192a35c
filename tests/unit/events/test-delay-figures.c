/*
 * events/delay-figures: figures of several threads are added up.
 */
#include "events/sched/delay-figures.h"

#include "tests/unit/check.h"

static void adds_up(void **state)
{
	struct sprof_delay_set a = {.lived_ns = 5}, b = {.lived_ns = 7};

	assert_true(sprof_histogram_add(&a.kinds[SPROF_DELAY_PREEMPTED].seen, 10));
	assert_true(sprof_histogram_add(&b.kinds[SPROF_DELAY_PREEMPTED].seen, 30));
	b.kinds[SPROF_DELAY_PREEMPTED].over = 1;
	b.kinds[SPROF_DELAY_WAKEUP].derived_count = 3;
	b.kinds[SPROF_DELAY_WAKEUP].derived_ns = 300;
	assert_true(sprof_delay_set_merge(&a, &b));
	assert_int_equal(a.lived_ns, 12);
	assert_int_equal(a.kinds[SPROF_DELAY_PREEMPTED].seen.count, 2);
	assert_int_equal(a.kinds[SPROF_DELAY_PREEMPTED].seen.total, 40);
	assert_int_equal(a.kinds[SPROF_DELAY_PREEMPTED].over, 1);
	assert_int_equal(a.kinds[SPROF_DELAY_WAKEUP].derived_count, 3);
	assert_int_equal(a.kinds[SPROF_DELAY_WAKEUP].derived_ns, 300);
	sprof_delay_set_finish(&a);
	sprof_delay_set_finish(&b);
}

static void a_reset_forgets(void **state)
{
	struct sprof_delay_set set = {.lived_ns = 5};

	assert_true(sprof_histogram_add(&set.kinds[SPROF_DELAY_WAKEUP].seen, 10));
	set.kinds[SPROF_DELAY_WAKEUP].over = 1;
	set.kinds[SPROF_DELAY_ANY].derived_count = 1;
	sprof_delay_set_reset(&set);
	assert_int_equal(set.lived_ns, 0);
	assert_int_equal(set.kinds[SPROF_DELAY_WAKEUP].seen.count, 0);
	assert_int_equal(set.kinds[SPROF_DELAY_WAKEUP].over, 0);
	assert_int_equal(set.kinds[SPROF_DELAY_ANY].derived_count, 0);
	sprof_delay_set_finish(&set);
}

TEST_MAIN("delay-figures")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(a_reset_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
