/*
 * events/delays: delays after a sleep, derived from the kernel's own sums.
 */
#include "events/sched/delays.h"

#include "tests/unit/events/stream.h"

static void wakeups_are_what_preemptions_leave(void **state)
{
	struct sprof_delays delays = begin(true, false);

	take_reading(&delays, 5, A, 1000, 70000);
	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, true);
	take(&delays, 70, A, SPROF_SCHED_ON);
	take_off(&delays, 80, A, false);
	take(&delays, 100, A, SPROF_SCHED_ON);
	take_reading(&delays, 110, A, 1003, 70000 + 50 + 12);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 50);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 2, 12);
	take_reading(&delays, 120, A, 1003, 70000 + 50 + 12);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 2, 12);
	sprof_delays_finish(&delays);
}

/* The kernel had counted the preemption before its record was made. */
static void a_reading_may_be_early(void **state)
{
	struct sprof_delays delays = begin(true, false);

	take_reading(&delays, 5, A, 0, 0);
	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, true);
	take_reading(&delays, 69, A, 2, 57);
	take(&delays, 70, A, SPROF_SCHED_ON);
	take_reading(&delays, 90, A, 2, 57);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 2, 57);
	take_reading(&delays, 100, A, 4, 57 + 60);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 3, 67);
	sprof_delays_finish(&delays);
}

static void the_sums_of_a_new_thread_begin_at_0(void **state)
{
	struct sprof_delays delays = begin(true, false);

	take(&delays, 10, B, SPROF_SCHED_BIRTH);
	take(&delays, 20, B, SPROF_SCHED_ON);
	take_reading(&delays, 30, B, 1, 9);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_WAKEUP)->derived_count, 1);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_WAKEUP)->derived_ns, 9);
	sprof_delays_finish(&delays);
}

/* It has waited for a CPU since before we looked, and nobody knows why. */
static void sums_begin_when_a_runner_is_known(void **state)
{
	struct sprof_delays delays = begin(true, false);

	sprof_delays_add_thread(&delays, B, "b", true);
	take_reading(&delays, 5, B, 10, 100);
	take_reading(&delays, 10, B, 10, 100);
	take(&delays, 20, B, SPROF_SCHED_ON);
	take_reading(&delays, 30, B, 11, 150);
	take_off(&delays, 40, B, false);
	take(&delays, 50, B, SPROF_SCHED_ON);
	take_reading(&delays, 60, B, 12, 153);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_WAKEUP)->derived_count, 1);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_WAKEUP)->derived_ns, 3);
	sprof_delays_finish(&delays);
}

static void a_gap_spoils_sums_until_the_state_is_known(void **state)
{
	struct sprof_delays delays = begin(true, false);

	take(&delays, 2, A, SPROF_SCHED_ON);
	take_reading(&delays, 5, A, 10, 100);
	take(&delays, 10, 0, SPROF_SCHED_GAP_BEGIN);
	take_reading(&delays, 15, A, 20, 200);
	take(&delays, 20, 0, SPROF_SCHED_GAP_END);
	take_reading(&delays, 25, A, 30, 300);
	take(&delays, 30, A, SPROF_SCHED_ON);
	take_reading(&delays, 35, A, 31, 310);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	take_off(&delays, 40, A, false);
	take(&delays, 45, A, SPROF_SCHED_ON);
	take_reading(&delays, 50, A, 32, 312);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 1, 2);
	sprof_delays_finish(&delays);
}

static void without_switches_nothing_is_told_apart(void **state)
{
	struct sprof_delays delays = begin(false, false);

	sprof_delays_add_thread(&delays, B, "b", true);
	take_reading(&delays, 5, A, 10, 100);
	take_reading(&delays, 5, B, 10, 100);
	take_reading(&delays, 15, A, 12, 130);
	take_reading(&delays, 15, B, 11, 150);
	check_derived(&delays, SPROF_DELAY_ANY, 2, 30);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_ANY)->derived_count, 1);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_ANY)->derived_ns, 50);
	sprof_delays_finish(&delays);
}

/* By tracepoints, the kernel's sums say what a gap has taken. */
static void sums_fill_a_gap(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_reading(&delays, 5, A, 10, 100);
	take(&delays, 6, A, SPROF_SCHED_ON);
	take_off(&delays, 10, A, true);
	take(&delays, 20, 0, SPROF_SCHED_GAP_BEGIN);
	take(&delays, 90, 0, SPROF_SCHED_GAP_END);
	take_reading(&delays, 100, A, 13, 150);
	check_derived(&delays, SPROF_DELAY_ANY, 3, 50);
	take(&delays, 110, A, SPROF_SCHED_ON);
	take_off(&delays, 120, A, true);
	take(&delays, 160, A, SPROF_SCHED_ON);
	take_reading(&delays, 170, A, 15, 200);
	check_derived(&delays, SPROF_DELAY_ANY, 4, 60);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 40);
	check_derived(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	sprof_delays_finish(&delays);
}

static void a_wakeup_without_a_record_is_in_the_sums(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_reading(&delays, 5, A, 10, 100);
	take_off(&delays, 20, A, false);
	take(&delays, 500, A, SPROF_SCHED_ON);
	take_reading(&delays, 510, A, 11, 130);
	check_derived(&delays, SPROF_DELAY_ANY, 1, 30);
	sprof_delays_finish(&delays);
}

/* The moments of records and of the kernel's own sums differ a little. */
static void exact_delays_need_no_sums(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_reading(&delays, 5, A, 10, 100);
	take(&delays, 6, A, SPROF_SCHED_ON);
	take_off(&delays, 10, A, true);
	take(&delays, 40, A, SPROF_SCHED_ON);
	take_reading(&delays, 50, A, 11, 131);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 30);
	check_derived(&delays, SPROF_DELAY_ANY, 0, 0);
	sprof_delays_finish(&delays);
}

static void what_ends_short_is_counted(void **state)
{
	struct sprof_delays delays = begin(true, true);

	sprof_delays_add_thread(&delays, B, "b", false);
	take_reading(&delays, 5, A, 10, 100);
	take_reading(&delays, 5, B, 10, 100);
	take(&delays, 10, B, SPROF_SCHED_EXIT);
	assert_int_equal(delays.unread, 0);
	take(&delays, 20, 0, SPROF_SCHED_GAP_BEGIN);
	take(&delays, 90, 0, SPROF_SCHED_GAP_END);
	take(&delays, 95, A, SPROF_SCHED_EXIT);
	assert_int_equal(delays.unread, 1);
	assert_int_equal(delays.unread_ns, 90);
	sprof_delays_finish(&delays);
}

TEST_MAIN("delay-sums")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wakeups_are_what_preemptions_leave),
		cmocka_unit_test(a_reading_may_be_early),
		cmocka_unit_test(the_sums_of_a_new_thread_begin_at_0),
		cmocka_unit_test(sums_begin_when_a_runner_is_known),
		cmocka_unit_test(a_gap_spoils_sums_until_the_state_is_known),
		cmocka_unit_test(without_switches_nothing_is_told_apart),
		cmocka_unit_test(sums_fill_a_gap),
		cmocka_unit_test(a_wakeup_without_a_record_is_in_the_sums),
		cmocka_unit_test(exact_delays_need_no_sums),
		cmocka_unit_test(what_ends_short_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
