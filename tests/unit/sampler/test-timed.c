/*
 * The arithmetic of a thread's timer: what is owed, when a stop is due, and how large copies become.
 */
#include "sampler/timer/timed.h"

#include "events/perf/timer.h"
#include "tests/unit/check.h"

static struct sprof_perf_timer *const some = (struct sprof_perf_timer *)&(char){0};

static struct timed opened(void)
{
	struct timed timed = {.timer = NULL};

	sprof_timed_opened(&timed, some, 1000, 0, 32);
	sprof_timed_paced(&timed, 1000, 1, 1);
	return timed;
}

static void ran(struct timed *timed, uint64_t tick_ns, double periods)
{
	const struct timed_look look = {.tick_ns = tick_ns, .cpu_ns = tick_ns, .weight = 1};

	sprof_timed_ran(timed, &look, periods);
}

/* Stops have told of the ticks before. */
static void what_was_before_the_first_record_is_not_told_again(void **state)
{
	struct timed timed = opened();

	sprof_timed_has_kernel(&timed, true);
	for (unsigned i = 1; i <= 20; i++) {
		ran(&timed, 1000 + 5 * i, 0.1);
		assert_true(sprof_timed_may_have_slept(&timed, i, 1));
		sprof_timed_gave_up(&timed, i, 1);
		assert_false(sprof_timed_is_open(&timed));
	}
	sprof_timed_recorded(&timed, 2000, 2000);
	assert_true(sprof_timed_is_open(&timed));
	assert_false(sprof_timed_is_due(&timed, 50));
	sprof_timed_was_placed(&timed, 1);
	assert_int_equal(sprof_timed_stood(&timed, 1), 0);
	assert_int_equal(sprof_timed_met_waking(&timed), 1);
}

/* What its own code uses has records; it is in the kernel, which this timer does not tell of. */
static void without_the_kernels_code_stops_end_without_a_record(void **state)
{
	struct timed timed = opened(), full = opened();

	sprof_timed_has_kernel(&full, true);
	for (unsigned i = 1; i <= 3; i++) {
		ran(&timed, 1000 + i, 1);
		ran(&full, 1000 + i, 1);
	}
	assert_true(sprof_timed_is_open(&timed));
	assert_false(sprof_timed_is_open(&full));
}

/* The thread's own code only: each period has a record. */
static void user_code_is_stopped_now_and_then(void **state)
{
	struct timed timed = opened();
	unsigned stops = 0;

	for (unsigned i = 0; i < 1000; i++) {
		sprof_timed_recorded(&timed, i, i);
		ran(&timed, i, 1);
		if (sprof_timed_is_due(&timed, 50)) {
			stops++;
			assert_int_equal(sprof_timed_met_in_user(&timed), 0);
		}
	}
	assert_in_range(stops, 19, 30);
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16 & 0x7fff;
}

/* Three of four timers, and of four stops, come while the thread is in the kernel. */
static void the_kernel_is_owed_what_no_record_gave(void **state)
{
	struct timed timed = opened();
	uint32_t in_kernel = 0;
	unsigned seed = 1;

	for (unsigned i = 0; i < 10000; i++) {
		if (next_random(&seed) % 4 == 0)
			sprof_timed_recorded(&timed, i, i);
		ran(&timed, i, 1);
		if (sprof_timed_is_due(&timed, 50) && next_random(&seed) % 4)
			in_kernel += sprof_timed_met_in_kernel(&timed);
	}
	assert_in_range(in_kernel, 7300, 8300);
}

static void a_longer_period_has_fewer_records(void **state)
{
	struct timed timed = opened();

	sprof_timed_paced(&timed, 0, 1, 2);
	for (unsigned i = 0; i < 100; i++) {
		ran(&timed, i, 2);
		sprof_timed_recorded(&timed, i, i);
	}
	assert_false(sprof_timed_is_due(&timed, 1000));
}

/* More records than CPU time say nothing about the kernel. */
static void too_many_records_are_not_counted_against_it(void **state)
{
	struct timed timed = opened();

	for (unsigned i = 0; i < 100; i++)
		sprof_timed_recorded(&timed, i, i);
	ran(&timed, 100, 5);
	assert_int_equal(sprof_timed_met_in_kernel(&timed), 1);
	assert_int_equal(sprof_timed_met_in_kernel(&timed), 1);
}

static void copies_grow_to_the_largest(void **state)
{
	struct timed timed = opened();

	assert_int_equal(timed.stack_size, 8 * 1024);
	sprof_timed_was_cut(&timed, true);
	assert_true(timed.wants_more && sprof_timed_is_due(&timed, 1000));
	sprof_timed_replaced(&timed, some);
	assert_int_equal(timed.stack_size, 32 * 1024);
	sprof_timed_was_cut(&timed, true);
	sprof_timed_replaced(&timed, some);
	assert_int_equal(timed.stack_size, SPROF_PERF_TIMER_STACK_MAX);
	sprof_timed_was_cut(&timed, true);
	assert_false(timed.wants_more);
	/* One stop stands for all three. */
	assert_int_equal(sprof_timed_met_in_user(&timed), 3);
	assert_int_equal(sprof_timed_met_in_user(&timed), 0);
}

static void met_whole(struct timed *timed, size_t needed, int times)
{
	while (times--) {
		sprof_timed_needed(timed, needed);
		sprof_timed_met_whole(timed);
	}
}

static void copies_shrink_to_what_is_needed(void **state)
{
	struct timed timed = opened();

	met_whole(&timed, 400, 10);
	met_whole(&timed, 2000, 13);
	assert_false(sprof_timed_wants_other(&timed));
	met_whole(&timed, 400, 1);
	assert_true(timed.wants_less);
	sprof_timed_replaced(&timed, some);
	assert_int_equal(timed.stack_size, 2304);
}

/* Records that a timer has left when it is replaced may be cut, too: they count as one. */
static void copies_that_were_too_small_shrink_later_and_less(void **state)
{
	struct timed timed = opened();

	met_whole(&timed, 2000, 24);
	sprof_timed_replaced(&timed, some);
	sprof_timed_was_cut(&timed, true);
	sprof_timed_was_cut(&timed, true);
	sprof_timed_replaced(&timed, some);
	assert_int_equal(timed.stack_size, 8 * 1024);
	met_whole(&timed, 2400, 8 * 24 - 1);
	assert_false(sprof_timed_wants_other(&timed));
	met_whole(&timed, 400, 1);
	assert_true(timed.wants_less);
	sprof_timed_replaced(&timed, some);
	assert_int_equal(timed.stack_size, 15 * 256);
}

static void copies_that_are_nearly_needed_stay(void **state)
{
	struct timed timed = opened();

	met_whole(&timed, 5600, 100);
	assert_false(sprof_timed_wants_other(&timed));
}

/* One of twenty is no reason, a few in a row are. */
static void what_is_often_not_whole_is_given_up(void **state)
{
	struct timed timed = opened();

	for (unsigned i = 0; i < 1000; i++) {
		if (i % 20)
			sprof_timed_met_whole(&timed);
		else
			sprof_timed_was_cut(&timed, false);
	}
	assert_false(sprof_timed_is_in_vain(&timed));
	for (unsigned i = 0; i < 7; i++)
		sprof_timed_was_cut(&timed, false);
	assert_true(sprof_timed_is_in_vain(&timed));
	sprof_timed_closed(&timed, 0, true);
	assert_true(timed.given_up && !timed.timer && !timed.cut);
	sprof_timed_executed(&timed);
	assert_false(timed.given_up);
}

/* At each third tick it has just woken, at the others it computes. */
static void who_wakes_is_met_for_all_ticks(void **state)
{
	struct timed timed = opened();
	uint32_t waking = 0;
	unsigned seed = 1;

	for (unsigned i = 0; i < 9000; i++) {
		sprof_timed_recorded(&timed, i, i);
		ran(&timed, i, 1);
		sprof_timed_gave_up(&timed, i + 1, 1);
		if (!sprof_timed_is_due(&timed, 50))
			continue;
		if (next_random(&seed) % 3 == 0)
			waking += sprof_timed_met_waking(&timed);
		else
			sprof_timed_met_in_user(&timed);
	}
	assert_in_range(waking, 2700, 3300);
}

static void a_timer_is_for_who_goes_on(void **state)
{
	struct timed timed = {.timer = NULL};

	assert_false(sprof_timed_goes_on(&timed, 1000, 0));
	assert_false(sprof_timed_goes_on(&timed, 1040, 1020));
	assert_true(sprof_timed_goes_on(&timed, 1060, 1040));
}

static void who_has_slept_is_known_by_its_switches(void **state)
{
	struct timed timed = opened();

	assert_true(sprof_timed_may_have_slept(&timed, 7, 10));
	sprof_timed_gave_up(&timed, 3, 1);
	assert_true(timed.has_slept);
	assert_false(sprof_timed_may_have_slept(&timed, 7, 10));
	assert_false(timed.has_slept);
	/* It was preempted. */
	assert_true(sprof_timed_may_have_slept(&timed, 8, 10));
	sprof_timed_gave_up(&timed, 3, 1);
	assert_false(timed.has_slept);
}

/* A tick finds it in the queue where the last one has found it: that is time off the CPU, and no question. */
static void who_stays_in_the_queue_has_not_slept(void **state)
{
	struct timed timed = opened();
	struct timed_look look = {.tick_ns = 1100, .cpu_ns = 10, .weight = 1};

	sprof_timed_ran(&timed, &look, 0.1);
	assert_true(sprof_timed_may_have_slept(&timed, 0, 100));
	sprof_timed_gave_up(&timed, 0, 1);
	/* It may have slept, and been woken, since the last one was over. */
	look.tick_ns = 1200;
	sprof_timed_ran(&timed, &look, 0);
	assert_true(sprof_timed_may_have_slept(&timed, 0, 100));
	sprof_timed_gave_up(&timed, 1, 1);
	assert_true(timed.has_slept);
	assert_int_equal(timed.off_ns, 90);
	for (unsigned i = 0; i < 3; i++) {
		look.tick_ns += 100;
		sprof_timed_ran(&timed, &look, 0);
		assert_false(sprof_timed_may_have_slept(&timed, 0, 100));
		assert_false(timed.has_slept);
	}
	assert_int_equal(timed.off_ns, 390);
}

/* Wall time less CPU time; what comes late is settled later. */
static void time_without_a_cpu_repeats_the_last_sample(void **state)
{
	struct timed timed = opened();
	uint32_t told = 0;

	sprof_timed_met_whole(&timed);
	for (unsigned i = 1; i <= 1000; i++) {
		const struct timed_look look = {
			.tick_ns = 1000 + 100 * i, .cpu_ns = 100 * (i / 4), .weight = 1};

		sprof_timed_ran(&timed, &look, 0.25);
		if (sprof_timed_may_have_slept(&timed, i / 2, 100))
			sprof_timed_gave_up(&timed, 0, 1);
		told += sprof_timed_stood(&timed, 100);
	}
	assert_in_range(told, 749, 750);
}

/* Half of its turns began with a sleep, whose wait for a CPU is the sleep's. */
static void of_who_sleeps_only_the_preempted_turns_do(void **state)
{
	struct timed timed = opened();
	uint32_t told = 0;

	sprof_timed_met_whole(&timed);
	for (unsigned i = 1; i <= 1000; i++) {
		const struct timed_look look = {
			.tick_ns = 1000 + 100 * i, .runq_ns = 40 * i, .weight = 1};

		sprof_timed_ran(&timed, &look, 0);
		assert_true(sprof_timed_may_have_slept(&timed, 2 * i, 100));
		sprof_timed_gave_up(&timed, i, 1);
		told += sprof_timed_stood(&timed, 100);
	}
	assert_in_range(told, 199, 200);
}

TEST_MAIN("timed")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_before_the_first_record_is_not_told_again),
		cmocka_unit_test(without_the_kernels_code_stops_end_without_a_record),
		cmocka_unit_test(user_code_is_stopped_now_and_then),
		cmocka_unit_test(the_kernel_is_owed_what_no_record_gave),
		cmocka_unit_test(a_longer_period_has_fewer_records),
		cmocka_unit_test(too_many_records_are_not_counted_against_it),
		cmocka_unit_test(copies_grow_to_the_largest),
		cmocka_unit_test(copies_shrink_to_what_is_needed),
		cmocka_unit_test(copies_that_were_too_small_shrink_later_and_less),
		cmocka_unit_test(copies_that_are_nearly_needed_stay),
		cmocka_unit_test(what_is_often_not_whole_is_given_up),
		cmocka_unit_test(who_wakes_is_met_for_all_ticks),
		cmocka_unit_test(a_timer_is_for_who_goes_on),
		cmocka_unit_test(who_has_slept_is_known_by_its_switches),
		cmocka_unit_test(who_stays_in_the_queue_has_not_slept),
		cmocka_unit_test(time_without_a_cpu_repeats_the_last_sample),
		cmocka_unit_test(of_who_sleeps_only_the_preempted_turns_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
