/*
 * sampler/account with recorded switches: wait is known, and not estimated.
 */
#include "sampler/account/account.h"

#include "tests/unit/check.h"

/* 1000 ns: 300 on a CPU, 500 off it, of which 100 in the queue. The rest was taken by others. */
static void recorded_switches_tell_wait_from_stolen_time(void **state)
{
	const struct sprof_figures start = {.time_ns = 1000, .cpu_ns = 100, .runq_ns = 50};
	const struct sprof_figures now = {.time_ns = 2000,
		.cpu_ns = 400,
		.runq_ns = 150,
		.user_ticks = 1,
		.off = {.is_known = true, .ns = 500, .wait_ns = 500}};
	struct sprof_account account;
	struct sprof_times times;

	sprof_account_init(&account, &start);
	times = sprof_account_advance(&account, &now, true);

	assert_int_equal(times.ns[SPROF_TIME_USER], 300);
	assert_int_equal(times.ns[SPROF_TIME_RUNQ], 100);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 400);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 200);
}

/* 1000 ns: 300 on a CPU. After its stops, 30 have passed until it was in the queue: no wait. */
static void what_passes_after_a_stop_is_no_wait(void **state)
{
	const struct sprof_figures start = {.time_ns = 1000};
	const struct sprof_figures now = {.time_ns = 2000,
		.cpu_ns = 300,
		.runq_ns = 100,
		.user_ticks = 1,
		.off = {.is_known = true, .ns = 180, .wait_ns = 50}};
	struct sprof_account account;
	struct sprof_times times;

	sprof_account_init(&account, &start);
	times = sprof_account_advance(&account, &now, true);

	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 50);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 550);
}

/*
 * Of 1000 ns each: the first 400 off the CPU; then a gap; at the third look the state is known again, but not what
 * was in the gap: nothing says that it was no wait. From then on 300 are wait, and the rest is stolen.
 */
static void after_a_gap_recorded_switches_tell_again(void **state)
{
	struct sprof_figures now = {.time_ns = 1000};
	struct sprof_account account;
	struct sprof_times times;

	sprof_account_init(&account, &now);
	now = (struct sprof_figures){.time_ns = 2000, .cpu_ns = 600, .user_ticks = 1};
	now.off.is_known = true;
	now.off.ns = now.off.wait_ns = 400;
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 400);
	now.time_ns = 3000;
	now.off.gaps = 1;
	now.off.is_known = false;
	sprof_account_weigh(&account, SPROF_STATE_SLEEP, 1);
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP] + times.ns[SPROF_TIME_STOLEN], 1000);
	now.time_ns = 4000;
	now.off.is_known = true;
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP] + times.ns[SPROF_TIME_STOLEN], 1000);
	now.time_ns = 5000;
	now.cpu_ns += 500;
	now.off.ns += 300;
	now.off.wait_ns += 300;
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 300);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 200);
}

/* Of 600 ns, a third was seen on disk. */
static void blocked_time_goes_by_recorded_lengths(void **state)
{
	const struct sprof_figures start = {.time_ns = 1000}, now = {.time_ns = 1600};
	struct sprof_account account;
	struct sprof_times times;

	sprof_account_init(&account, &start);
	sprof_account_weigh(&account, SPROF_STATE_SLEEP, 2000);
	sprof_account_weigh(&account, SPROF_STATE_DISK, 1000);
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 400);
	assert_int_equal(times.ns[SPROF_TIME_DISK], 200);
}

TEST_MAIN("account-switches")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_switches_tell_wait_from_stolen_time),
		cmocka_unit_test(what_passes_after_a_stop_is_no_wait),
		cmocka_unit_test(after_a_gap_recorded_switches_tell_again),
		cmocka_unit_test(blocked_time_goes_by_recorded_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
