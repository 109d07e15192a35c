/*
 * events/delays: delays made of recorded streams.
 */
#include "events/sched/delays.h"

#include "tests/unit/events/stream.h"

static void a_preempted_thread_waits(void **state)
{
	struct sprof_delays delays = begin(true, false);

	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, true);
	take(&delays, 70, A, SPROF_SCHED_ON);
	take_off(&delays, 80, A, true);
	take(&delays, 280, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 2, 250);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	assert_int_equal(figures(&delays, A, SPROF_DELAY_PREEMPTED)->seen.min, 50);
	assert_int_equal(figures(&delays, A, SPROF_DELAY_PREEMPTED)->seen.max, 200);
	assert_int_equal(figures(&delays, A, SPROF_DELAY_PREEMPTED)->over, 1);
	sprof_delays_finish(&delays);
}

struct noted {
	enum sprof_delay_step steps[16];
	size_t count;
	uint64_t delayed_ns;
	uint64_t number; /* of the last step */
};

static void note(void *data, const struct sprof_delay_event *event)
{
	struct noted *noted = data;

	noted->steps[noted->count++] = event->step;
	assert_true(event->moment.number > noted->number);
	noted->number = event->moment.number;
	if (event->ends_delay)
		noted->delayed_ns += event->moment.time_ns - event->thread->since.time_ns;
}

/* What both sources report, and a wake-up's second record, are one step. */
static void each_step_is_passed_on_once(void **state)
{
	static const enum sprof_delay_step steps[] = {SPROF_DELAY_STEP_RUNS,
		SPROF_DELAY_STEP_PREEMPTED, SPROF_DELAY_STEP_RUNS, SPROF_DELAY_STEP_SLEEPS,
		SPROF_DELAY_STEP_WOKEN, SPROF_DELAY_STEP_RUNS};
	struct sprof_delays delays = begin(true, true);
	struct noted noted = {0};

	delays.options.noted = note;
	delays.options.data = &noted;
	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, true);
	take_off(&delays, 21, A, true);
	take(&delays, 70, A, SPROF_SCHED_ON);
	take(&delays, 71, A, SPROF_SCHED_ON);
	take_off(&delays, 80, A, false);
	take(&delays, 500, A, SPROF_SCHED_WAKING);
	take(&delays, 510, A, SPROF_SCHED_WAKEUP);
	take(&delays, 530, A, SPROF_SCHED_ON);
	assert_int_equal(noted.count, sizeof(steps) / sizeof(steps[0]));
	assert_memory_equal(noted.steps, steps, sizeof(steps));
	assert_int_equal(noted.delayed_ns, 50 + 20);
	sprof_delays_finish(&delays);
}

static void a_threshold_is_not_over_itself(void **state)
{
	struct sprof_delays delays = begin(true, false);

	take_off(&delays, 100, A, true);
	take(&delays, 200, A, SPROF_SCHED_ON);
	assert_int_equal(figures(&delays, A, SPROF_DELAY_PREEMPTED)->over, 0);
	take_off(&delays, 300, A, true);
	take(&delays, 401, A, SPROF_SCHED_ON);
	assert_int_equal(figures(&delays, A, SPROF_DELAY_PREEMPTED)->over, 1);
	sprof_delays_finish(&delays);
}

static void a_sleep_is_no_delay(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, false);
	take(&delays, 500, A, SPROF_SCHED_WAKING);
	take(&delays, 510, A, SPROF_SCHED_WAKEUP);
	take(&delays, 530, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 0, 0);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 20);
	sprof_delays_finish(&delays);
}

/* Its wake-up was not seen. */
static void a_sleeper_that_runs_has_no_delay(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, false);
	take(&delays, 500, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	assert_int_equal(delays.unseen, 1);
	sprof_delays_finish(&delays);
}

static void a_wakeup_without_waking_counts(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_off(&delays, 20, A, false);
	take(&delays, 510, A, SPROF_SCHED_WAKEUP);
	take(&delays, 530, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 20);
	sprof_delays_finish(&delays);
}

static void who_is_woken_on_its_cpu_stays_there(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 10, A, SPROF_SCHED_ON);
	take(&delays, 20, A, SPROF_SCHED_WAKING);
	take(&delays, 21, A, SPROF_SCHED_WAKEUP);
	take_off(&delays, 30, A, false);
	take(&delays, 60, A, SPROF_SCHED_WAKING);
	take(&delays, 70, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 10);
	sprof_delays_finish(&delays);
}

/* The waker was there before the record of the sleep. The WAKEUP is of the thread that was interrupted. */
static void a_waking_before_the_sleep_counts_from_the_wakeup(void **state)
{
	struct sprof_delays delays = begin(true, true);
	const struct sprof_sched_record records[] = {
		{.time_ns = 20, .kind = SPROF_SCHED_WAKING, .tid = A, .other = 77},
		{.time_ns = 25, .kind = SPROF_SCHED_WAKEUP, .tid = A, .other = 88},
	};

	take(&delays, 10, A, SPROF_SCHED_ON);
	sprof_delays_take(&delays, &records[0]);
	take_off(&delays, 22, A, false);
	sprof_delays_take(&delays, &records[1]);
	assert_int_equal(sprof_delays_find(&delays, A)->since.other, 77);
	take(&delays, 40, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 15);
	sprof_delays_finish(&delays);
}

/* With kernel preemption: it is on its way to sleep, but still on the queue. */
static void a_waking_of_a_preempted_thread_changes_nothing(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_off(&delays, 20, A, true);
	take(&delays, 30, A, SPROF_SCHED_WAKING);
	take(&delays, 31, A, SPROF_SCHED_WAKEUP);
	take(&delays, 50, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 30);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	sprof_delays_finish(&delays);
}

static void records_that_come_twice_count_once(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 10, A, SPROF_SCHED_ON);
	take(&delays, 11, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, true);
	take_off(&delays, 21, A, true);
	take(&delays, 30, A, SPROF_SCHED_ON);
	take(&delays, 31, A, SPROF_SCHED_ON);
	take_off(&delays, 40, A, false);
	take_off(&delays, 41, A, false);
	take(&delays, 50, A, SPROF_SCHED_WAKING);
	take(&delays, 55, A, SPROF_SCHED_ON);
	take(&delays, 56, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 10);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 5);
	sprof_delays_finish(&delays);
}

/* The waker is between the two records of the sleep. */
static void a_sleep_that_comes_twice_keeps_its_waking(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 10, A, SPROF_SCHED_ON);
	take_off(&delays, 20, A, false);
	take(&delays, 21, A, SPROF_SCHED_WAKING);
	take_off(&delays, 22, A, false);
	take(&delays, 40, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 19);
	sprof_delays_finish(&delays);
}

/* The ON before the second OFF was missed. */
static void an_off_much_later_is_another_one(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_off(&delays, 20, A, false);
	take(&delays, 30, A, SPROF_SCHED_WAKING);
	take_off(&delays, 1000000, A, true);
	take(&delays, 1000010, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 10);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	sprof_delays_finish(&delays);
}

static void who_waits_longest_is_known(void **state)
{
	struct sprof_delays delays = begin(true, true);

	sprof_delays_add_thread(&delays, B, "b", false);
	assert_null(sprof_delays_longest_waiter(&delays, NULL, NULL));
	take_off(&delays, 20, A, true);
	take_off(&delays, 10, B, true);
	assert_int_equal(sprof_delays_longest_waiter(&delays, NULL, NULL)->tid, B);
	take(&delays, 30, B, SPROF_SCHED_ON);
	assert_int_equal(sprof_delays_longest_waiter(&delays, NULL, NULL)->tid, A);
	sprof_delays_finish(&delays);
}

static void the_first_switch_has_no_begin(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 1000, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 0, 0);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 0, 0);
	sprof_delays_finish(&delays);
}

static void threads_have_figures_of_their_own(void **state)
{
	struct sprof_delays delays = begin(true, true);

	sprof_delays_add_thread(&delays, B, "b", false);
	take_off(&delays, 10, A, true);
	take_off(&delays, 15, B, true);
	take(&delays, 20, A, SPROF_SCHED_ON);
	take(&delays, 45, B, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 10);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_PREEMPTED)->seen.total, 30);
	sprof_delays_finish(&delays);
}

static void without_rows_all_threads_have_one(void **state)
{
	struct sprof_delays delays = begin(true, true);

	delays.options.per_thread = false;
	sprof_delays_add_thread(&delays, B, "b", false);
	take_off(&delays, 10, A, true);
	take_off(&delays, 15, B, true);
	take(&delays, 20, A, SPROF_SCHED_ON);
	take(&delays, 45, B, SPROF_SCHED_ON);
	take(&delays, 50, A, SPROF_SCHED_EXIT);
	assert_int_equal(delays.count, 1);
	assert_null(sprof_delays_find(&delays, A));
	assert_int_equal(sprof_delays_find(&delays, B)->tid, B);
	assert_int_equal(delays.interval.kinds[SPROF_DELAY_PREEMPTED].seen.count, 2);
	assert_int_equal(delays.interval.kinds[SPROF_DELAY_PREEMPTED].seen.total, 40);
	sprof_delays_finish(&delays);
}

static void strangers_are_ignored(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_off(&delays, 10, 99, true);
	take(&delays, 20, 99, SPROF_SCHED_ON);
	take(&delays, 20, 99, SPROF_SCHED_EXIT);
	take_reading(&delays, 30, 99, 1, 1);
	assert_int_equal(delays.count, 1);
	sprof_delays_finish(&delays);
}

static void a_birth_brings_name_and_first_wakeup(void **state)
{
	const struct sprof_sched_record birth = {
		.time_ns = 5, .tid = B, .kind = SPROF_SCHED_BIRTH, .parent = A};
	const struct sprof_sched_record name = {
		.time_ns = 30, .tid = B, .kind = SPROF_SCHED_NAME, .name = "worker"};
	struct sprof_delays delays = begin(true, true);

	sprof_delays_take(&delays, &birth);
	assert_string_equal(sprof_delays_find(&delays, B)->name, "a");
	take(&delays, 10, B, SPROF_SCHED_WAKEUP);
	take(&delays, 25, B, SPROF_SCHED_ON);
	assert_int_equal(figures(&delays, B, SPROF_DELAY_WAKEUP)->seen.total, 15);
	sprof_delays_take(&delays, &name);
	assert_string_equal(sprof_delays_find(&delays, B)->name, "worker");
	sprof_delays_finish(&delays);
}

/* The largest id was there before it. */
static void a_birth_below_the_filter_has_lost_records(void **state)
{
	const struct sprof_sched_record birth = {
		.time_ns = 5, .tid = B, .kind = SPROF_SCHED_BIRTH, .parent = A};
	struct sprof_delays delays = begin(true, true);

	delays.filtered_up_to = B - 1;
	sprof_delays_take(&delays, &birth);
	assert_int_equal(delays.lost, 0);
	take(&delays, 8, B, SPROF_SCHED_EXIT);
	delays.filtered_up_to = B;
	sprof_delays_take(&delays, &birth);
	sprof_delays_take(&delays, &birth);
	assert_int_equal(delays.lost, 1);
	sprof_delays_finish(&delays);
}

/* The first thread has ended, and another one goes on under its id. */
static void who_executes_a_program_has_another_id(void **state)
{
	const struct sprof_sched_record birth = {
		.time_ns = 5, .tid = B, .kind = SPROF_SCHED_BIRTH, .parent = A};
	const struct sprof_sched_record exec = {
		.time_ns = 30, .tid = A, .kind = SPROF_SCHED_EXEC, .name = "program"};
	struct sprof_delays delays = begin(true, true);

	sprof_delays_take(&delays, &birth);
	take(&delays, 10, B, SPROF_SCHED_WAKEUP);
	take(&delays, 25, B, SPROF_SCHED_ON);
	take(&delays, 27, A, SPROF_SCHED_EXIT);
	sprof_delays_take(&delays, &exec);
	assert_null(sprof_delays_find(&delays, B));
	assert_string_equal(sprof_delays_find(&delays, A)->name, "program");
	take_off(&delays, 40, A, true);
	take(&delays, 50, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_WAKEUP, 1, 15);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 10);
	assert_int_equal(delays.count, 2);
	sprof_delays_finish(&delays);
}

static void an_id_may_come_again(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take_off(&delays, 10, A, true);
	take(&delays, 15, A, SPROF_SCHED_EXIT);
	assert_null(sprof_delays_find(&delays, A));
	take(&delays, 20, A, SPROF_SCHED_BIRTH);
	take(&delays, 30, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 0, 0);
	assert_int_equal(delays.count, 2);
	assert_int_equal(delays.ended, 1);
	sprof_delays_finish(&delays);
}

static void a_gap_drops_what_spans_it(void **state)
{
	const struct sprof_sched_record end = {
		.time_ns = 40, .kind = SPROF_SCHED_GAP_END, .lost = 5};
	struct sprof_delays delays = begin(true, true);

	take_off(&delays, 10, A, true);
	take(&delays, 20, 0, SPROF_SCHED_GAP_BEGIN);
	take_off(&delays, 25, A, true);
	take(&delays, 30, A, SPROF_SCHED_ON);
	take_off(&delays, 35, A, true);
	sprof_delays_take(&delays, &end);
	take(&delays, 50, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 0, 0);
	assert_int_equal(delays.dropped, 1);
	assert_int_equal(delays.lost, 5);
	take_off(&delays, 60, A, true);
	take(&delays, 80, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 20);
	sprof_delays_finish(&delays);
}

static void gaps_of_two_rings_overlap(void **state)
{
	struct sprof_delays delays = begin(true, true);

	take(&delays, 10, 0, SPROF_SCHED_GAP_BEGIN);
	take(&delays, 20, 0, SPROF_SCHED_GAP_BEGIN);
	take(&delays, 30, 0, SPROF_SCHED_GAP_END);
	take_off(&delays, 32, A, true);
	take(&delays, 34, A, SPROF_SCHED_ON);
	take(&delays, 40, 0, SPROF_SCHED_GAP_END);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 0, 0);
	take_off(&delays, 42, A, true);
	take(&delays, 44, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 2);
	sprof_delays_finish(&delays);
}

static void intervals_add_up_to_the_total(void **state)
{
	struct sprof_delays delays = begin(true, true);
	const struct sprof_delay_thread *thread = sprof_delays_find(&delays, A);

	take_off(&delays, 10, A, true);
	take(&delays, 20, A, SPROF_SCHED_ON);
	take_off(&delays, 30, A, true);
	sprof_delays_close_interval(&delays, 101);
	assert_int_equal(thread->interval.lived_ns, 100);
	sprof_delays_end_interval(&delays, 101);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 0, 0);
	take(&delays, 130, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 100);
	take(&delays, 151, A, SPROF_SCHED_EXIT);
	sprof_delays_close_interval(&delays, 201);
	assert_int_equal(thread->interval.lived_ns, 50);
	sprof_delays_end_interval(&delays, 201);
	assert_int_equal(thread->total.lived_ns, 150);
	assert_int_equal(thread->total.kinds[SPROF_DELAY_PREEMPTED].seen.count, 2);
	assert_int_equal(thread->total.kinds[SPROF_DELAY_PREEMPTED].seen.total, 110);
	sprof_delays_finish(&delays);
}

static void very_many_threads_that_end_are_kept_as_one(void **state)
{
	struct sprof_delays delays = begin(true, true);
	enum { MORE = 100 };

	for (pid_t tid = 100; tid < 100 + SPROF_DELAYS_MAX_ENDED + MORE; tid++) {
		take(&delays, 10, tid, SPROF_SCHED_BIRTH);
		take(&delays, 20, tid, SPROF_SCHED_WAKEUP);
		take(&delays, 30, tid, SPROF_SCHED_ON);
		take(&delays, 40, tid, SPROF_SCHED_EXIT);
	}
	assert_int_equal(delays.count, SPROF_DELAYS_MAX_ENDED + 1);
	assert_int_equal(delays.interval.kinds[SPROF_DELAY_WAKEUP].seen.count, MORE);
	assert_false(delays.no_memory);
	take_off(&delays, 50, A, true);
	take(&delays, 60, A, SPROF_SCHED_ON);
	check_seen(&delays, SPROF_DELAY_PREEMPTED, 1, 10);
	sprof_delays_finish(&delays);
}

/* Two sources may report the same birth. Children of other programs do not count. */
static void processes_are_counted_once(void **state)
{
	struct sprof_delays delays = begin(true, false);
	struct sprof_sched_record child = {
		.time_ns = 10, .tid = B, .kind = SPROF_SCHED_CHILD, .parent = A};

	sprof_delays_take(&delays, &child);
	sprof_delays_take(&delays, &child);
	assert_int_equal(delays.children.count, 1);
	child.tid = child.parent = B + 1;
	sprof_delays_take(&delays, &child);
	assert_int_equal(delays.children.count, 1);
	assert_null(sprof_delays_find(&delays, B));
	sprof_delays_finish(&delays);
}

TEST_MAIN("delays")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preempted_thread_waits),
		cmocka_unit_test(each_step_is_passed_on_once),
		cmocka_unit_test(a_threshold_is_not_over_itself),
		cmocka_unit_test(a_sleep_is_no_delay),
		cmocka_unit_test(a_sleeper_that_runs_has_no_delay),
		cmocka_unit_test(a_wakeup_without_waking_counts),
		cmocka_unit_test(who_is_woken_on_its_cpu_stays_there),
		cmocka_unit_test(a_waking_before_the_sleep_counts_from_the_wakeup),
		cmocka_unit_test(a_waking_of_a_preempted_thread_changes_nothing),
		cmocka_unit_test(records_that_come_twice_count_once),
		cmocka_unit_test(a_sleep_that_comes_twice_keeps_its_waking),
		cmocka_unit_test(an_off_much_later_is_another_one),
		cmocka_unit_test(who_waits_longest_is_known),
		cmocka_unit_test(the_first_switch_has_no_begin),
		cmocka_unit_test(threads_have_figures_of_their_own),
		cmocka_unit_test(without_rows_all_threads_have_one),
		cmocka_unit_test(strangers_are_ignored),
		cmocka_unit_test(a_birth_brings_name_and_first_wakeup),
		cmocka_unit_test(a_birth_below_the_filter_has_lost_records),
		cmocka_unit_test(who_executes_a_program_has_another_id),
		cmocka_unit_test(an_id_may_come_again),
		cmocka_unit_test(a_gap_drops_what_spans_it),
		cmocka_unit_test(gaps_of_two_rings_overlap),
		cmocka_unit_test(intervals_add_up_to_the_total),
		cmocka_unit_test(processes_are_counted_once),
		cmocka_unit_test(very_many_threads_that_end_are_kept_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
