/*
 * profile/window: time goes to the samples of its class, evenly, and none of it is lost or made up.
 */
#include "profile/model/window.h"

#include <stdlib.h>

#include "tests/unit/check.h"

enum { ROWS = 7 };

static uint64_t of(const struct sprof_profile_row *rows, uint32_t row, enum sprof_time_class class)
{
	return rows[row].metrics.times.ns[class];
}

/* Samples that explain no time: each counts the same. */
static bool add(struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count)
{
	return sprof_window_add(
		window, &(struct sprof_window_run){.row = row, .state = state, .count = count});
}

/* Further time of a row. */
static bool add_time(struct sprof_window *window, uint32_t row, enum sprof_state state, uint64_t ns)
{
	return sprof_window_add(
		window, &(struct sprof_window_run){.row = row, .state = state, .ns = ns});
}

static void classes_go_to_their_states(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	struct sprof_times times = {{100, 200, 400, 300, 400, 500}};

	assert_true(add(&window, 0, SPROF_STATE_USER, 1));
	assert_true(add(&window, 1, SPROF_STATE_SYS, 1));
	assert_true(add(&window, 2, SPROF_STATE_SLEEP, 1));
	assert_true(add(&window, 3, SPROF_STATE_DISK, 1));
	assert_true(add(&window, 4, SPROF_STATE_STOPPED, 1));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_USER), 100);
	assert_int_equal(of(rows, 1, SPROF_TIME_SYS), 200);
	assert_int_equal(of(rows, 0, SPROF_TIME_RUNQ), 200);
	assert_int_equal(of(rows, 1, SPROF_TIME_RUNQ), 200);
	assert_int_equal(of(rows, 2, SPROF_TIME_SLEEP), 300);
	assert_int_equal(of(rows, 3, SPROF_TIME_DISK), 400);
	assert_int_equal(of(rows, 4, SPROF_TIME_STOPPED), 500);
	assert_int_equal(of(rows, 2, SPROF_TIME_USER) + of(rows, 2, SPROF_TIME_SYS), 0);
	sprof_window_finish(&window);
}

static void equal_samples_share_evenly_and_the_rest_is_spread(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	struct sprof_times times = {{10, 0, 0, 0}};

	for (uint32_t row = 0; row < 4; row++)
		assert_true(add(&window, row, SPROF_STATE_USER, 1));
	sprof_window_charge(&window, &times, rows);
	for (uint32_t row = 0; row < 4; row++)
		assert_in_range(of(rows, row, SPROF_TIME_USER), 2, 3);
	assert_int_equal(of(rows, 0, SPROF_TIME_USER) + of(rows, 1, SPROF_TIME_USER) +
			of(rows, 2, SPROF_TIME_USER) + of(rows, 3, SPROF_TIME_USER),
		10);
	sprof_window_finish(&window);
}

static void a_class_without_a_sample_is_carried_on(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	assert_true(add(&window, 1, SPROF_STATE_SLEEP, 1));
	sprof_window_charge(&window, &(struct sprof_times){{30, 0, 0, 70}}, rows);
	assert_int_equal(of(rows, 1, SPROF_TIME_SLEEP), 70);
	assert_int_equal(of(rows, 1, SPROF_TIME_USER), 0);
	assert_int_equal(window.carried.ns[SPROF_TIME_USER], 30);

	assert_true(add(&window, 2, SPROF_STATE_USER, 1));
	sprof_window_charge(&window, &(struct sprof_times){{12, 5, 0, 0}}, rows);
	assert_int_equal(of(rows, 2, SPROF_TIME_USER), 42);
	assert_int_equal(window.carried.ns[SPROF_TIME_USER], 0);
	assert_int_equal(sprof_window_take_carried(&window).ns[SPROF_TIME_SYS], 5);
	assert_int_equal(window.carried.ns[SPROF_TIME_SYS], 0);
	sprof_window_finish(&window);
}

static void a_usual_rest_goes_to_the_last_sample_and_more_stays(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	assert_true(add(&window, 1, SPROF_STATE_USER, 2));
	assert_true(add(&window, 2, SPROF_STATE_USER, 2));
	assert_true(add(&window, 3, SPROF_STATE_SLEEP, 1));
	sprof_window_charge(&window, &(struct sprof_times){{40, 0, 0, 10}}, rows);
	/* Ten a sample; thirty may lie behind the last one, thirty-one may not. Nobody was seen in the kernel. */
	sprof_window_charge(&window, &(struct sprof_times){{30, 5, 0, 31}}, rows);
	sprof_window_settle(&window, rows);
	assert_int_equal(of(rows, 1, SPROF_TIME_USER), 20);
	assert_int_equal(of(rows, 2, SPROF_TIME_USER), 50);
	assert_int_equal(of(rows, 3, SPROF_TIME_SLEEP), 10);
	assert_int_equal(window.carried.ns[SPROF_TIME_USER], 0);
	assert_int_equal(window.carried.ns[SPROF_TIME_SYS], 5);
	assert_int_equal(window.carried.ns[SPROF_TIME_SLEEP], 31);
	sprof_window_finish(&window);
}

static void add_samples(
	struct sprof_window *window, uint32_t row, enum sprof_state state, int count)
{
	while (count--)
		assert_true(add(window, row, state, 1));
}

/* A stop meets the interrupted code, not the kernel. What calls took stays theirs. */
static void page_faults_belong_to_the_code_that_they_interrupt(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	add_samples(&window, 0, SPROF_STATE_USER, 60);
	add_samples(&window, 1, SPROF_STATE_USER, 30);
	add_samples(&window, 2, SPROF_STATE_SYS, 10);
	sprof_window_fault(&window, 1);
	sprof_window_charge(&window, &(struct sprof_times){{4000, 6000}}, rows);
	assert_int_equal(of(rows, 2, SPROF_TIME_SYS), 1000);
	assert_in_range(of(rows, 0, SPROF_TIME_SYS), 3333, 3334);
	assert_in_range(of(rows, 1, SPROF_TIME_SYS), 1666, 1667);
	assert_int_equal(of(rows, 2, SPROF_TIME_USER), 0);
	assert_int_equal(of(rows, 0, SPROF_TIME_USER) + of(rows, 1, SPROF_TIME_USER), 4000);
	assert_int_equal(window.carried.ns[SPROF_TIME_SYS], 0);
	sprof_window_finish(&window);
}

/* No call in sight, in window after window: the time is not kept for a call that comes later. */
static void page_faults_need_no_call(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	for (int i = 0; i < 3; i++) {
		add_samples(&window, 0, SPROF_STATE_USER, 50);
		sprof_window_fault(&window, 1);
		sprof_window_charge(&window, &(struct sprof_times){{5000, 5000}}, rows);
	}
	add_samples(&window, 1, SPROF_STATE_SYS, 1);
	sprof_window_charge(&window, &(struct sprof_times){{0, 100}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SYS), 15000);
	assert_int_equal(of(rows, 1, SPROF_TIME_SYS), 100);
	sprof_window_finish(&window);
}

/* A thread that mostly sleeps in its calls is seldom seen to run in them. */
static void page_faults_take_no_more_than_they_can(void **state)
{
	const uint64_t most = SPROF_MOST_FAULT_NS;
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	add_samples(&window, 0, SPROF_STATE_USER, 90);
	add_samples(&window, 1, SPROF_STATE_SLEEP, 900);
	sprof_window_charge(&window, &(struct sprof_times){{10 * most, 9 * most}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SYS), 0);
	/* The carried time's faults and the later ones. */
	add_samples(&window, 0, SPROF_STATE_USER, 90);
	sprof_window_fault(&window, 2);
	sprof_window_charge(&window, &(struct sprof_times){{10 * most, 9 * most}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SYS), 2 * most);
	assert_int_equal(window.carried.ns[SPROF_TIME_SYS], 16 * most);
	add_samples(&window, 0, SPROF_STATE_USER, 90);
	sprof_window_charge(&window, &(struct sprof_times){{10 * most, 0}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SYS), 2 * most);
	sprof_window_finish(&window);
}

/* As many samples were in calls as chance allows. Too few samples prove nothing, and neither does a single one. */
static void chance_makes_no_page_faults(void **state)
{
	static const struct {
		int user, in_calls;
		uint64_t user_ns, system_ns;
	} windows[] = {{50, 50, 5000, 5000}, {60, 40, 5000, 5000}, {95, 5, 9000, 1000},
		{3, 0, 150, 150}, {1, 0, 10, 1000}, {0, 9, 100, 800}};

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct sprof_profile_row rows[ROWS] = {0};
		struct sprof_window window = {0};
		const struct sprof_times times = {{windows[i].user_ns, windows[i].system_ns}};

		add_samples(&window, 0, SPROF_STATE_USER, windows[i].user);
		add_samples(&window, 1, SPROF_STATE_SYS, windows[i].in_calls);
		sprof_window_fault(&window, 1000);
		sprof_window_charge(&window, &times, rows);
		assert_int_equal(of(rows, 0, SPROF_TIME_SYS), 0);
		assert_int_equal(of(rows, 1, SPROF_TIME_SYS) + window.carried.ns[SPROF_TIME_SYS],
			windows[i].system_ns);
		sprof_window_finish(&window);
	}
}

/* The thread stops only at the end of a long call: one sample, beside many of short user code. */
static void a_long_call_leaves_no_time_to_page_faults(void **state)
{
	const struct sprof_window_run call = {
		.row = 1, .state = SPROF_STATE_SYS, .count = 1, .ns = 8000000};
	const struct sprof_window_run code = {.state = SPROF_STATE_USER, .count = 2, .ns = 2000000};
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	for (int i = 0; i < 50; i++) {
		assert_true(sprof_window_add(&window, &call));
		assert_true(sprof_window_add(&window, &code));
	}
	sprof_window_fault(&window, 100000);
	sprof_window_charge(&window, &(struct sprof_times){{100000000, 400000000}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SYS), 0);
	assert_int_equal(of(rows, 1, SPROF_TIME_SYS), 400000000);
	/* Less than half of it was in calls. */
	for (int i = 0; i < 50; i++) {
		assert_true(sprof_window_add(&window, &call));
		assert_true(sprof_window_add(
			&window, &(struct sprof_window_run){.count = 8, .ns = 12000000}));
	}
	sprof_window_fault(&window, 100000);
	sprof_window_charge(&window, &(struct sprof_times){{100000000, 900000000}}, rows);
	assert_in_range(of(rows, 0, SPROF_TIME_SYS), 499999000, 500001000);
	sprof_window_finish(&window);
}

/* It was taken from a thread that wanted to run. */
static void stolen_time_goes_to_no_sleeper(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	const struct sprof_times times = {.ns = {[SPROF_TIME_STOLEN] = 60}};

	assert_true(add(&window, 0, SPROF_STATE_SLEEP, 5));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_STOLEN), 0);
	assert_true(add(&window, 0, SPROF_STATE_SLEEP, 5));
	assert_true(add(&window, 1, SPROF_STATE_USER, 1));
	assert_true(add(&window, 2, SPROF_STATE_SYS, 1));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_STOLEN), 0);
	assert_int_equal(of(rows, 1, SPROF_TIME_STOLEN), 60);
	assert_int_equal(of(rows, 2, SPROF_TIME_STOLEN), 60);
	sprof_window_finish(&window);
}

/* The lengths of waits, not their number; and less than all of them may be charged. */
static void blocked_time_goes_by_the_lengths_of_waits(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	const struct sprof_times times = {.ns = {[SPROF_TIME_SLEEP] = 900}};

	assert_true(add_time(&window, 0, SPROF_STATE_SLEEP, 100));
	assert_true(add_time(&window, 1, SPROF_STATE_SLEEP, 500));
	assert_true(add_time(&window, 1, SPROF_STATE_SLEEP, 300));
	assert_true(add_time(&window, 0, SPROF_STATE_SLEEP, 100));
	assert_true(add(&window, 2, SPROF_STATE_USER, 1000));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SLEEP), 180);
	assert_int_equal(of(rows, 1, SPROF_TIME_SLEEP), 720);
	assert_int_equal(of(rows, 2, SPROF_TIME_SLEEP), 0);
	sprof_window_finish(&window);
}

/* Waits without any length take nothing: their time comes later. */
static void waits_of_no_length_carry_their_time_on(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	const struct sprof_times times = {.ns = {[SPROF_TIME_SLEEP] = 10}}, none = {.ns = {0}};

	assert_true(add_time(&window, 0, SPROF_STATE_SLEEP, 0));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SLEEP), 0);
	assert_true(add_time(&window, 1, SPROF_STATE_SLEEP, 1));
	sprof_window_charge(&window, &none, rows);
	assert_int_equal(of(rows, 1, SPROF_TIME_SLEEP), 10);
	sprof_window_finish(&window);
}

static void a_charge_empties_the_window(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};

	assert_true(add(&window, 0, SPROF_STATE_USER, 1));
	sprof_window_charge(&window, &(struct sprof_times){{1, 0, 0, 0}}, rows);
	sprof_window_charge(&window, &(struct sprof_times){{50, 0, 0, 0}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_USER), 1);
	assert_int_equal(window.carried.ns[SPROF_TIME_USER], 50);
	sprof_window_finish(&window);
}

static void equal_samples_in_a_row_take_no_more_room(void **state)
{
	struct sprof_window window = {0};

	for (int i = 0; i < 100000; i++)
		assert_true(add(&window, 3, SPROF_STATE_SLEEP, 1));
	assert_int_equal(window.count, 1);
	assert_int_equal(window.runs[0].count, 100000);
	sprof_window_finish(&window);
}

/* Samples explain different lengths of time; one that explains none has next to nothing beside them. */
static void samples_share_by_the_time_that_they_explain(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	const struct sprof_times times = {{4000000}};

	assert_true(sprof_window_add(
		&window, &(struct sprof_window_run){.row = 0, .count = 1, .ns = 3000000}));
	assert_true(sprof_window_add(
		&window, &(struct sprof_window_run){.row = 1, .count = 1, .ns = 1000000}));
	assert_true(add(&window, 2, SPROF_STATE_USER, 1));
	sprof_window_charge(&window, &times, rows);
	assert_in_range(of(rows, 0, SPROF_TIME_USER), 2999990, 3000000);
	assert_in_range(of(rows, 1, SPROF_TIME_USER), 999990, 1000010);
	assert_in_range(of(rows, 2, SPROF_TIME_USER), 0, 2);
	sprof_window_finish(&window);
}

/* As much as followed it; the rest is that of the code that was preempted. */
static void a_wait_for_a_cpu_behind_a_sleep_is_the_sleeps(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	const struct sprof_times times = {.ns = {[SPROF_TIME_RUNQ] = 500}};
	const struct sprof_window_run queued = {
		.row = 1, .state = SPROF_STATE_SLEEP, .queue_ns = 200};

	assert_true(add(&window, 0, SPROF_STATE_USER, 3));
	assert_true(sprof_window_add(&window, &queued));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 1, SPROF_TIME_RUNQ), 200);
	assert_int_equal(of(rows, 0, SPROF_TIME_RUNQ), 300);
	/* Less than that was charged: it can't get more. */
	assert_true(sprof_window_add(&window, &queued));
	sprof_window_charge(&window, &(struct sprof_times){.ns = {[SPROF_TIME_RUNQ] = 50}}, rows);
	assert_int_equal(of(rows, 1, SPROF_TIME_RUNQ), 250);
	/* Nobody ran: the rest is carried. */
	assert_true(sprof_window_add(&window, &queued));
	sprof_window_charge(&window, &times, rows);
	assert_int_equal(of(rows, 1, SPROF_TIME_RUNQ), 450);
	assert_int_equal(window.carried.ns[SPROF_TIME_RUNQ], 300);
	sprof_window_finish(&window);
}

static void nothing_is_lost_on_random_input(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	struct sprof_times charged = {0}, found = {0};
	unsigned short seed[3] = {1, 2, 3};

	for (int round = 0; round < 20000; round++) {
		struct sprof_times times = {0};

		for (long i = nrand48(seed) % 5; i > 0; i--)
			assert_true(add(&window, (uint32_t)(nrand48(seed) % ROWS),
				(enum sprof_state)(nrand48(seed) % SPROF_STATE_COUNT), 1));
		for (int i = 0; i < SPROF_TIME_COUNT; i++) {
			times.ns[i] = (uint64_t)nrand48(seed) << (nrand48(seed) % 12);
			charged.ns[i] += times.ns[i];
		}
		sprof_window_charge(&window, &times, rows);
	}
	found = sprof_window_take_carried(&window);
	for (uint32_t row = 0; row < ROWS; row++) {
		for (int i = 0; i < SPROF_TIME_COUNT; i++)
			found.ns[i] += rows[row].metrics.times.ns[i];
	}
	assert_memory_equal(&charged, &found, sizeof(found));
	sprof_window_finish(&window);
}

static void years_do_not_overflow(void **state)
{
	struct sprof_profile_row rows[ROWS] = {0};
	struct sprof_window window = {0};
	const uint64_t years = 3000000000000000000;

	for (uint32_t i = 0; i < 1000; i++)
		assert_true(add(&window, i % 2, SPROF_STATE_SLEEP, 1));
	sprof_window_charge(&window, &(struct sprof_times){{0, 0, 0, years}}, rows);
	assert_int_equal(of(rows, 0, SPROF_TIME_SLEEP), years / 2);
	assert_int_equal(of(rows, 1, SPROF_TIME_SLEEP), years / 2);
	sprof_window_finish(&window);
}

TEST_MAIN("window")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_go_to_their_states),
		cmocka_unit_test(a_usual_rest_goes_to_the_last_sample_and_more_stays),
		cmocka_unit_test(page_faults_belong_to_the_code_that_they_interrupt),
		cmocka_unit_test(page_faults_need_no_call),
		cmocka_unit_test(page_faults_take_no_more_than_they_can),
		cmocka_unit_test(chance_makes_no_page_faults),
		cmocka_unit_test(a_long_call_leaves_no_time_to_page_faults),
		cmocka_unit_test(stolen_time_goes_to_no_sleeper),
		cmocka_unit_test(equal_samples_share_evenly_and_the_rest_is_spread),
		cmocka_unit_test(a_class_without_a_sample_is_carried_on),
		cmocka_unit_test(blocked_time_goes_by_the_lengths_of_waits),
		cmocka_unit_test(waits_of_no_length_carry_their_time_on),
		cmocka_unit_test(a_charge_empties_the_window),
		cmocka_unit_test(equal_samples_in_a_row_take_no_more_room),
		cmocka_unit_test(samples_share_by_the_time_that_they_explain),
		cmocka_unit_test(a_wait_for_a_cpu_behind_a_sleep_is_the_sleeps),
		cmocka_unit_test(nothing_is_lost_on_random_input),
		cmocka_unit_test(years_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
