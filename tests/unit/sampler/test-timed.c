/*
 * A thread's timer: for which threads it is, and how large its copies of the stack become.
 */
#include "sampler/timer/timed.h"

#include "events/perf/timer.h"
#include "tests/unit/check.h"

static struct sprof_perf_timer *const some = (struct sprof_perf_timer *)&(char){0};

static struct timed opened(void)
{
	struct timed timed = {.timer = NULL};

	sprof_timed_got(&timed, some, sprof_timed_next_size(&timed));
	return timed;
}

static void replace(struct timed *timed)
{
	sprof_timed_got(timed, some, sprof_timed_next_size(timed));
}

static void it_is_open_from_its_first_record_on(void **state)
{
	struct timed timed = opened();

	assert_false(timed.is_open);
	sprof_timed_recorded(&timed, true, false);
	assert_true(timed.is_open);
	sprof_timed_closed(&timed, false);
	assert_false(timed.is_open || timed.timer || timed.given_up);
}

static void a_copy_that_was_too_small_becomes_the_largest(void **state)
{
	struct timed timed = opened();

	sprof_timed_recorded(&timed, false, true);
	assert_int_equal(timed.next_size, SPROF_PERF_TIMER_STACK_MAX);
	replace(&timed);
	assert_int_equal(timed.stack_size, SPROF_PERF_TIMER_STACK_MAX);
	sprof_timed_recorded(&timed, false, true);
	assert_int_equal(timed.next_size, 0);
}

/* Stops have seen how deep it is. */
static void the_first_copy_is_as_large_as_is_needed(void **state)
{
	struct timed timed = {.timer = NULL};

	sprof_timed_needed(&timed, 20000);
	assert_in_range(sprof_timed_next_size(&timed), 20001, 30000);
	sprof_timed_needed(&timed, 10 * SPROF_PERF_TIMER_STACK_MAX);
	assert_int_equal(sprof_timed_next_size(&timed), SPROF_PERF_TIMER_STACK_MAX);
}

static void met_whole(struct timed *timed, size_t needed, int times)
{
	while (times--) {
		sprof_timed_needed(timed, needed);
		sprof_timed_recorded(timed, true, true);
	}
}

/* To what the deepest one has needed, with some room. */
static void copies_shrink_to_what_is_needed(void **state)
{
	struct timed timed = opened();
	const size_t first = timed.stack_size;

	met_whole(&timed, 2000, 1);
	met_whole(&timed, 400, 1000);
	assert_in_range(timed.next_size, 2001, first / 2);
	replace(&timed);
	assert_in_range(timed.stack_size, 2001, first / 2);
}

static void copies_that_are_nearly_needed_stay(void **state)
{
	struct timed timed = opened();

	met_whole(&timed, timed.stack_size * 3 / 4, 1000);
	assert_int_equal(timed.next_size, 0);
}

/* Else they would grow and shrink by turns. */
static void copies_that_were_too_small_do_not_shrink_again(void **state)
{
	struct timed timed = opened();

	met_whole(&timed, 400, 1000);
	replace(&timed);
	sprof_timed_recorded(&timed, false, true);
	replace(&timed);
	met_whole(&timed, 400, 1000);
	assert_int_equal(timed.next_size, 0);
}

/* One of twenty is no reason, a few in a row are. */
static void what_is_often_not_whole_is_given_up(void **state)
{
	struct timed timed = opened();

	for (unsigned i = 0; i < 1000; i++)
		sprof_timed_recorded(&timed, i % 20, false);
	assert_false(sprof_timed_is_in_vain(&timed));
	for (unsigned i = 0; i < 20; i++)
		sprof_timed_recorded(&timed, false, false);
	assert_true(sprof_timed_is_in_vain(&timed));
	sprof_timed_closed(&timed, true);
	assert_true(timed.given_up && !timed.timer);
}

static void a_timer_is_for_who_goes_on(void **state)
{
	struct timed timed = {.timer = NULL};

	assert_false(sprof_timed_goes_on(&timed, 1000, 0));
	assert_false(sprof_timed_goes_on(&timed, 1040, 1020));
	assert_true(sprof_timed_goes_on(&timed, 1060, 1040));
}

TEST_MAIN("timed")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_open_from_its_first_record_on),
		cmocka_unit_test(a_copy_that_was_too_small_becomes_the_largest),
		cmocka_unit_test(the_first_copy_is_as_large_as_is_needed),
		cmocka_unit_test(copies_shrink_to_what_is_needed),
		cmocka_unit_test(copies_that_are_nearly_needed_stay),
		cmocka_unit_test(copies_that_were_too_small_do_not_shrink_again),
		cmocka_unit_test(what_is_often_not_whole_is_given_up),
		cmocka_unit_test(a_timer_is_for_who_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
