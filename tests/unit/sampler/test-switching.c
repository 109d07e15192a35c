/*
 * A thread's switches: which intervals they give, in whatever order they are read, and what they add
 * up to.
 */
#include "sampler/switches/switching.h"

#include <stdlib.h>

#include "attach/thread.h"
#include "tests/unit/check.h"

static struct switching *create(void)
{
	struct switching *switching = calloc(1, sizeof(*switching));

	assert_non_null(switching);
	return switching;
}

static void add(struct switching *switching, uint64_t time_ns, bool is_off, bool preempted)
{
	const struct switch_item item = {time_ns, is_off ? SWITCH_OFF : SWITCH_ON, preempted};

	assert_true(sprof_switching_add(switching, &item));
}

static void off(struct switching *switching, uint64_t time_ns)
{
	add(switching, time_ns, true, false);
}

static void on(struct switching *switching, uint64_t time_ns)
{
	add(switching, time_ns, false, false);
}

static void place(struct switching *switching, uint64_t time_ns, uint32_t stack)
{
	assert_true(sprof_switching_add(switching,
		&(struct switch_item){.time_ns = time_ns,
			.kind = SWITCH_PLACE,
			.place = {.time_ns = time_ns, .stack = stack}}));
}

/* The next interval before that time. False: there is none. */
static bool next(struct switching *switching, uint64_t until_ns, struct off_interval *ret)
{
	struct switch_item item;

	while (sprof_switching_take(switching, until_ns, &item)) {
		if (item.kind == SWITCH_OFF)
			sprof_switching_off(switching, &item);
		else if (sprof_switching_on(switching, item.time_ns, ret))
			return true;
	}
	return false;
}

static void check_next(
	struct switching *switching, uint64_t begin_ns, uint64_t end_ns, bool preempted)
{
	struct off_interval interval;

	assert_true(next(switching, UINT64_MAX, &interval));
	assert_int_equal(interval.begin_ns, begin_ns);
	assert_int_equal(interval.end_ns, end_ns);
	assert_int_equal(interval.preempted, preempted);
}

static void check_none(struct switching *switching)
{
	struct off_interval interval;

	assert_false(next(switching, UINT64_MAX, &interval));
}

/* A thread that moves between CPUs has its records in two rings. */
static void order_of_reading_does_not_matter(void **state)
{
	struct switching *switching = create();

	off(switching, 10);
	on(switching, 40);
	add(switching, 50, true, true);
	on(switching, 20);
	off(switching, 30);
	on(switching, 60);
	check_next(switching, 10, 20, false);
	check_next(switching, 30, 40, false);
	check_next(switching, 50, 60, true);
	check_none(switching);
	sprof_switching_destroy(switching);
}

static void what_is_younger_waits(void **state)
{
	struct switching *switching = create();
	struct off_interval interval;

	off(switching, 10);
	on(switching, 20);
	assert_false(next(switching, 20, &interval));
	assert_true(sprof_switching_went_on(switching, 21));
	assert_false(sprof_switching_went_on(switching, 20));
	check_next(switching, 10, 20, false);
	assert_false(sprof_switching_went_on(switching, 100));
	sprof_switching_destroy(switching);
}

/* A birth begins with a CPU; what began before the recording has no begin. */
static void an_end_without_a_begin_is_no_interval(void **state)
{
	struct switching *switching = create();

	on(switching, 10);
	off(switching, 20);
	on(switching, 30);
	check_next(switching, 20, 30, false);
	check_none(switching);
	sprof_switching_destroy(switching);
}

static void a_sleep_from_before_counts_from_the_begin(void **state)
{
	struct switching *switching = create();

	sprof_switching_found_off(switching, 5);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 25).ns, 20);
	on(switching, 30);
	check_next(switching, 5, 30, false);
	sprof_switching_destroy(switching);
}

/* Two events of one thread, or a record that is lost. */
static void doubled_and_lost_records_make_no_interval_of_their_own(void **state)
{
	struct switching *switching = create();

	off(switching, 10);
	off(switching, 11);
	on(switching, 20);
	on(switching, 21);
	off(switching, 30);
	check_next(switching, 10, 20, false);
	check_none(switching);
	sprof_switching_destroy(switching);
}

static void a_place_belongs_to_the_switch_behind_it(void **state)
{
	struct switching *switching = create();

	on(switching, 5);
	off(switching, 10);
	on(switching, 20);
	off(switching, 30);
	on(switching, 40);
	place(switching, 29, 2);
	place(switching, 9, 1);
	check_next(switching, 10, 20, false);
	assert_true(switching->has_place);
	assert_int_equal(switching->place.stack, 1);
	check_next(switching, 30, 40, false);
	assert_true(switching->has_place);
	assert_int_equal(switching->place.stack, 2);
	sprof_switching_destroy(switching);
}

/* The kernel had no room for it; an older one is of another wait. */
static void a_lost_place_is_not_replaced(void **state)
{
	struct switching *switching = create();

	on(switching, 5);
	off(switching, 10);
	on(switching, 20);
	place(switching, 9, 1);
	check_next(switching, 10, 20, false);
	off(switching, 30);
	on(switching, 40);
	check_next(switching, 30, 40, false);
	assert_false(switching->has_place);
	assert_true(switching->place.time_ns);
	sprof_switching_restart(switching, 100);
	assert_false(switching->place.time_ns);
	sprof_switching_destroy(switching);
}

static void a_preemption_is_known_beforehand(void **state)
{
	struct switching *switching = create();

	off(switching, 10);
	on(switching, 20);
	add(switching, 30, true, true);
	assert_false(sprof_switching_was_preempted(switching, 9));
	assert_true(sprof_switching_was_preempted(switching, 29));
	assert_false(sprof_switching_was_preempted(switching, 31));
	sprof_switching_destroy(switching);
}

/* Also of what was read but not taken, and of the present wait; not of the present place in the queue. */
static void all_time_off_the_cpu_is_known(void **state)
{
	struct switching *switching = create();

	switching->off_ns = 110;
	on(switching, 5);
	off(switching, 10);
	on(switching, 20);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 50).ns, 120);
	off(switching, 30);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 50).ns, 140);
	on(switching, 35);
	add(switching, 40, true, true);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 50).ns, 125);
	check_next(switching, 10, 20, false);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 50).ns, 115);
	sprof_switching_destroy(switching);
}

/* A wait from 10 to 20; a stop at 30, resumed at 34; another one at 50, whose end is not read yet. */
static void a_stop_is_no_wait_before_it_is_taken(void **state)
{
	struct sprof_thread thread = {.keeps_resumes = true};
	struct switching *switching = create();
	struct switching_off by;

	on(switching, 5);
	off(switching, 10);
	on(switching, 20);
	off(switching, 30);
	on(switching, 36);
	off(switching, 50);
	sprof_thread_note_resume(&thread, 34);
	sprof_thread_note_resume(&thread, 55);
	by = sprof_switching_off_by(switching, &thread, 70);
	assert_int_equal(by.ns, 12);
	assert_int_equal(by.wait_ns, 10);
	by = sprof_switching_off_by(switching, NULL, 70);
	assert_int_equal(by.ns, 36);
	assert_int_equal(by.wait_ns, 36);
	free(thread.resumes.ns);
	sprof_switching_destroy(switching);
}

static void check_own(
	const struct switching *switching, uint64_t now_ns, uint64_t waits, uint64_t ns)
{
	const struct switching_totals own = sprof_switching_own(switching, now_ns);

	assert_int_equal(own.waits, waits);
	assert_int_equal(own.wait_ns, ns);
}

/* Its present interval ends. resumed_ns: it was a stop. */
static void end(struct switching *switching, uint64_t end_ns, uint64_t resumed_ns)
{
	struct off_interval interval;

	assert_true(sprof_switching_on(switching, end_ns, &interval));
	assert_int_equal(sprof_switching_count(switching, &interval, resumed_ns),
		resumed_ns ? OFF_STOP : OFF_WAIT);
	switching->is_known = false;
}

static void wait(struct switching *switching, uint64_t begin_ns, uint64_t end_ns)
{
	sprof_switching_found_off(switching, begin_ns);
	end(switching, end_ns, 0);
}

static void pauses_and_earlier_sinks_do_not_count(void **state)
{
	struct switching *switching = create();

	wait(switching, 10, 30);
	wait(switching, 40, 70);
	sprof_switching_pause(switching, 80);
	wait(switching, 100, 190);
	sprof_switching_resume(switching, 200);
	wait(switching, 210, 220);
	check_own(switching, 250, 3, 60);
	assert_int_equal(sprof_switching_own(switching, 250).longest_ns, 30);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 250).ns, 150);
	sprof_switching_restart(switching, 250);
	check_own(switching, 260, 0, 0);
	sprof_switching_destroy(switching);
}

/* It counts in the first sink, and its time in both. */
static void a_wait_through_two_sinks_counts_once(void **state)
{
	struct switching *switching = create();

	sprof_switching_found_off(switching, 100);
	check_own(switching, 130, 1, 30);
	sprof_switching_restart(switching, 150);
	check_own(switching, 190, 0, 40);
	end(switching, 200, 0);
	check_own(switching, 250, 0, 50);
	assert_int_equal(sprof_switching_own(switching, 250).longest_ns, 100);
	sprof_switching_destroy(switching);
}

/* At a cut nobody knows yet that it is our doing. */
static void a_stop_through_a_cut_is_no_wait(void **state)
{
	struct switching *switching = create();

	sprof_switching_found_off(switching, 100);
	sprof_switching_restart(switching, 150);
	end(switching, 200, 190);
	check_own(switching, 250, 0, 0);
	sprof_switching_found_off(switching, 300);
	end(switching, 310, 0);
	check_own(switching, 350, 1, 10);
	sprof_switching_destroy(switching);
}

static void a_stop_at_the_begin_of_a_pause_is_no_wait(void **state)
{
	struct switching *switching = create();

	sprof_switching_found_off(switching, 100);
	sprof_switching_pause(switching, 150);
	end(switching, 200, 190);
	sprof_switching_found_off(switching, 210);
	end(switching, 280, 0);
	sprof_switching_resume(switching, 300);
	check_own(switching, 300, 0, 0);
	sprof_switching_found_off(switching, 310);
	end(switching, 330, 0);
	check_own(switching, 340, 1, 20);
	assert_int_equal(sprof_switching_own(switching, 340).longest_ns, 20);
	sprof_switching_destroy(switching);
}

/* What is before and behind the pause counts, as one wait. */
static void a_wait_through_a_pause_counts_once(void **state)
{
	struct switching *switching = create();

	sprof_switching_found_off(switching, 100);
	sprof_switching_pause(switching, 150);
	sprof_switching_resume(switching, 300);
	check_own(switching, 310, 1, 60);
	assert_int_equal(sprof_switching_own(switching, 310).longest_ns, 50);
	end(switching, 320, 0);
	check_own(switching, 320, 1, 70);
	assert_int_equal(sprof_switching_own(switching, 320).longest_ns, 50);
	sprof_switching_destroy(switching);
}

static void a_wait_that_begins_in_a_pause_is_its_rest(void **state)
{
	struct switching *switching = create();

	sprof_switching_pause(switching, 150);
	sprof_switching_found_off(switching, 200);
	sprof_switching_resume(switching, 300);
	end(switching, 320, 0);
	check_own(switching, 320, 0, 20);
	assert_int_equal(sprof_switching_own(switching, 320).longest_ns, 20);
	sprof_switching_destroy(switching);
}

static void time_off_the_cpu_is_known_of_records_in_any_order(void **state)
{
	struct switching *switching = create();

	on(switching, 40);
	off(switching, 10);
	on(switching, 20);
	off(switching, 30);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 50).ns, 20);
	sprof_switching_destroy(switching);
}

/* OFF from 10 on; switches are missing from 20 to 40; what is between is not sure. */
static void in_a_gap_nothing_is_known(void **state)
{
	const struct switch_item items[] = {{10, SWITCH_OFF}, {20, SWITCH_GAP, .gap_ns = 40},
		{30, SWITCH_ON}, {35, SWITCH_OFF}, {50, SWITCH_ON}, {60, SWITCH_OFF},
		{75, SWITCH_ON}};
	struct switching *switching = calloc(1, sizeof(*switching));
	struct off_interval interval;
	struct switch_item item;
	size_t taken = 0;

	assert_non_null(switching);
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		assert_true(sprof_switching_add(switching, &items[i]));
	assert_true(sprof_switching_take(switching, 15, &item));
	sprof_switching_off(switching, &item);
	assert_true(sprof_switching_off_by(switching, NULL, 80).is_known);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 80).gaps, 1);
	assert_int_equal(sprof_switching_off_by(switching, NULL, 80).ns, 15);
	assert_false(sprof_switching_take(switching, 45, &item));
	assert_true(switching->is_lost && !switching->is_off);
	for (; sprof_switching_take(switching, 80, &item); taken++) {
		if (item.kind == SWITCH_OFF)
			sprof_switching_off(switching, &item);
		else if (sprof_switching_on(switching, item.time_ns, &interval))
			assert_int_equal(interval.end_ns - interval.begin_ns, 15);
	}
	assert_int_equal(taken, 3);
	sprof_switching_destroy(switching);
}

TEST_MAIN("switching")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_reading_does_not_matter),
		cmocka_unit_test(what_is_younger_waits),
		cmocka_unit_test(an_end_without_a_begin_is_no_interval),
		cmocka_unit_test(a_sleep_from_before_counts_from_the_begin),
		cmocka_unit_test(doubled_and_lost_records_make_no_interval_of_their_own),
		cmocka_unit_test(a_place_belongs_to_the_switch_behind_it),
		cmocka_unit_test(a_lost_place_is_not_replaced),
		cmocka_unit_test(a_preemption_is_known_beforehand),
		cmocka_unit_test(all_time_off_the_cpu_is_known),
		cmocka_unit_test(a_stop_is_no_wait_before_it_is_taken),
		cmocka_unit_test(pauses_and_earlier_sinks_do_not_count),
		cmocka_unit_test(a_wait_through_two_sinks_counts_once),
		cmocka_unit_test(a_stop_through_a_cut_is_no_wait),
		cmocka_unit_test(a_stop_at_the_begin_of_a_pause_is_no_wait),
		cmocka_unit_test(a_wait_through_a_pause_counts_once),
		cmocka_unit_test(a_wait_that_begins_in_a_pause_is_its_rest),
		cmocka_unit_test(time_off_the_cpu_is_known_of_records_in_any_order),
		cmocka_unit_test(in_a_gap_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
