/*
 * The sampler in a made-up world with timers in the kernel: who tells where a running thread is.
 */
#include <math.h>

#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define MS ((uint64_t)SPROF_NS_PER_MS)

enum { LATER = 1000 }; /* ms after the end of a run */

static struct fake_world world;

static int set_up(void **state)
{
	fake_init(&world, 1);
	world.options.by_kernel = true;
	return 0;
}

static void check_runner(unsigned most_stops)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 1000 * MS;
	fake_run_well(&world);
	assert_int_equal(runner->timers, 1);
	assert_int_equal(world.quality.samples_by_kernel, runner->records);
	assert_in_range(world.quality.samples_by_kernel, 950, 1030);
	/* Those before its timer, and where its first record comes just after a tick, one more. */
	assert_in_range(world.quality.samples_stopped, 2, 3);
	assert_int_equal(runner->states[SPROF_STATE_USER], runner->samples);
	assert_in_range(world.interrupts, 2, most_stops);
	assert_int_equal(world.quality.samples_lost, 0);
}

static void a_runner_is_hardly_stopped(void **state)
{
	check_runner(5);
}

/* Perhaps there is time in the kernel, which has no records. */
static void a_runner_is_stopped_now_and_then(void **state)
{
	world.refuses_kernel = true;
	check_runner(80);
	assert_true(world.interrupts >= 15);
}

static void its_time_is_handed_out_once_a_second(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 4 * LATER * MS;
	world.options.rate_hz = 100;
	fake_run_well(&world);
	assert_in_range(runner->charges, 4, 6);
	assert_in_range(runner->samples, 380, 415);
}

static void add_worker(uint64_t user_ns, uint64_t call_ns)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	while (thread->act_count + 2 < FAKE_ACTS) {
		fake_act(thread, DOING_USER, user_ns);
		fake_act(thread, DOING_CALL, call_ns);
	}
	fake_act(thread, DOING_USER, LATER * LATER * MS);
}

/* Both parts have as many samples as they have CPU time, in periods. */
static void check_parts(uint64_t user_ms, uint64_t call_ms)
{
	const struct fake_thread *thread = &world.threads[0];
	const double chance = 4 * sqrt((double)call_ms);

	fake_run_well(&world);
	assert_float_equal((double)thread->states[SPROF_STATE_USER], (double)user_ms,
		0.05 * (double)user_ms + 4);
	assert_float_equal((double)thread->states[SPROF_STATE_SYS], (double)call_ms, chance);
}

static void short_calls_are_found_by_stops(void **state)
{
	world.refuses_kernel = true;
	world.cost_ns = 1;
	add_worker(7 * MS / 9, 3 * MS / 9);
	world.options.duration_ns = 120 * MS;
	check_parts(84, 36);
}

static void rare_calls_are_found_by_some_stops(void **state)
{
	uint64_t calls = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		fake_init(&world, seed);
		world.options.by_kernel = world.refuses_kernel = true;
		add_worker(19 * MS / 11, MS / 11);
		world.options.duration_ns = 200 * MS;
		fake_run_well(&world);
		calls += world.threads[0].states[SPROF_STATE_SYS];
		assert_true(world.interrupts < 160);
	}
	/* 5 % of 40 * 200 samples; few stops meet one, and each stands for many. */
	assert_in_range(calls, 300, 660);
}

static void long_calls_are_found_by_stops(void **state)
{
	world.refuses_kernel = true;
	add_worker(50 * MS, 50 * MS);
	world.options.duration_ns = 1000 * MS;
	check_parts(500, 500);
}

/* Where the kernel tells of its own code, calls need no stops. */
static void calls_have_records(void **state)
{
	add_worker(7 * MS / 9, 3 * MS / 9);
	world.options.duration_ns = 120 * MS;
	check_parts(84, 36);
	assert_in_range(world.interrupts, 1, 40); /* each act is a wake-up */
	assert_in_range(world.quality.samples_by_kernel, 110, 125);
}

static void rare_calls_have_records(void **state)
{
	uint64_t calls = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		fake_init(&world, seed);
		world.options.by_kernel = true;
		add_worker(19 * MS / 11, MS / 11);
		world.options.duration_ns = 200 * MS;
		fake_run_well(&world);
		calls += world.threads[0].states[SPROF_STATE_SYS];
		assert_true(world.interrupts < 60);
	}
	assert_in_range(calls, 300, 500);
}

static void who_sleeps_is_peeked_at(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 50; i++) {
		fake_act(thread, DOING_USER, 13 * MS);
		fake_act(thread, DOING_SLEEP, 7 * MS);
	}
	world.options.duration_ns = 1000 * MS;
	fake_run_well(&world);
	assert_in_range(thread->states[SPROF_STATE_USER], 610, 690);
	assert_in_range(thread->states[SPROF_STATE_SLEEP], 310, 390);
	assert_int_equal(thread->timers, 1);
}

/* A record between the begin of a tick and its look is read when the look has found the thread asleep. */
static void a_record_of_before_does_not_end_a_sleep(void **state)
{
	uint64_t awake = 0, expected = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fake_thread *thread;

		fake_init(&world, seed);
		world.options.by_kernel = true;
		world.cost_ns = MS / 50;
		thread = fake_add(&world, 0, 0);
		for (int i = 0; i < 40; i++) {
			fake_act(thread, DOING_USER, 20 * MS + fake_random(&world, MS));
			fake_act(thread, DOING_SLEEP, 30 * MS);
		}
		for (int i = 0; i < 8; i++)
			fake_add_runner(&world)->acts[0].ns = 10 * LATER * MS;
		world.options.duration_ns = 2 * LATER * MS;
		fake_run_well(&world);
		awake += thread->states[SPROF_STATE_USER];
		expected += thread->user_ns / MS;
	}
	assert_in_range(awake, expected * 0.98, expected * 1.02);
}

static void who_waits_for_a_cpu_repeats_its_last_sample(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 30; i++) {
		fake_act(thread, DOING_USER, 20 * MS);
		fake_act(thread, DOING_READY, 40 * MS);
	}
	world.options.duration_ns = 1500 * MS;
	fake_run_well(&world);
	assert_in_range(thread->samples, 1350, 1550);
	assert_int_equal(thread->states[SPROF_STATE_USER], thread->samples);
}

/*
 * A timer that is opened in one of them has its first record only after two more. A look that stands for eight
 * ticks may meet one.
 */
static void short_bursts_have_samples(void **state)
{
	for (int i = 0; i < FAKE_THREADS; i++) {
		struct fake_thread *thread = fake_add(&world, 0, 0);

		fake_act(thread, DOING_SLEEP, (uint64_t)(1 + i) * MS);
		for (int burst = 0; burst < 2; burst++) {
			fake_act(thread, DOING_USER, MS);
			fake_act(thread, DOING_READY, 25 * MS);
			fake_act(thread, DOING_USER, 3 * MS);
			fake_act(thread, DOING_SLEEP, 300 * MS);
		}
		fake_act(thread, DOING_SLEEP, 10 * LATER * MS);
	}
	world.options.rate_hz = 100;
	world.options.duration_ns = LATER * MS;
	fake_run_well(&world);
	for (int i = 0; i < FAKE_THREADS; i++)
		assert_in_range(world.threads[i].states[SPROF_STATE_USER], 1, 12);
}

static void a_long_sleeper_has_no_timer(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_act(thread, DOING_USER, 50 * MS);
	fake_act(thread, DOING_SLEEP, 8 * LATER * MS);
	fake_act(thread, DOING_USER, 2 * LATER * MS);
	world.options.rate_hz = 100;
	world.options.duration_ns = 9 * LATER * MS;
	fake_run_well(&world);
	assert_int_equal(thread->timers, 2);
}

static void where_it_is_refused_stops_do_it(void **state)
{
	const struct fake_thread *runner = fake_add_runner(&world);

	world.refuses_timers = SPROF_PERF_PARANOID;
	fake_run_well(&world);
	assert_int_equal(runner->timers, 0);
	assert_int_equal(world.quality.timers_refused, 1);
	assert_int_equal(world.quality.samples_stopped, world.ticks);
}

/* Nobody knows what a thread has done between its records. */
static void without_schedstat_stops_do_it(void **state)
{
	const struct fake_thread *runner = fake_add_runner(&world);

	world.quality.schedstat_missing = true;
	fake_run(&world);
	assert_int_equal(runner->timers, 0);
	assert_int_equal(world.quality.timers_denied, SPROF_TIMERS_UNSUPPORTED);
}

static void a_thread_that_is_gone_is_not_refused(void **state)
{
	fake_add_runner(&world);
	world.refuses_timers = SPROF_PERF_GONE;
	fake_run_well(&world);
	assert_int_equal(world.quality.timers_refused, 0);
}

static void a_program_that_was_executed_is_another(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 10; i++) {
		fake_act(thread, DOING_USER, 8 * MS + (uint64_t)i * MS / 10);
		fake_act(thread, DOING_EXEC, 0);
	}
	fake_act(thread, DOING_USER, LATER * MS);
	fake_run_well(&world);
	assert_true(thread->timers > 5);
	assert_true(world.quality.samples_by_kernel > 50);
}

static void the_last_records_count(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_add_sleeper(&world, 0);
	fake_act(thread, DOING_USER, 55 * MS);
	fake_act(thread, DOING_END, 0);
	world.options.rate_hz = 100;
	fake_run_well(&world);
	assert_int_equal(world.quality.samples_by_kernel, thread->records);
	assert_in_range(thread->samples, 5, 7);
}

static void what_was_lost_is_counted(void **state)
{
	fake_add_runner(&world);
	world.refuses_kernel = true;
	world.options.duration_ns = 400 * MS;
	world.stall_ns = world.now_ns + 50 * MS;
	world.stall_length_ns = 200 * MS;
	world.throttled_ns = world.now_ns + 300 * MS;
	fake_run_well(&world);
	assert_true(world.quality.samples_lost > 100);
	assert_int_equal(world.quality.timers_throttled, 1);
}

static void while_sampling_is_off_there_are_no_timers(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	/* Long enough for ticks to be left out: the first one after the pause doesn't stand for it. */
	runner->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 1200 * MS;
	fake_order(&world, 600 * MS, SPROF_ORDER_OFF);
	fake_order(&world, 900 * MS, SPROF_ORDER_ON);
	fake_run_well(&world);
	assert_int_equal(runner->timers, 2);
	assert_in_range(runner->samples, 870, 930);
}

static void of_many_threads_some_have_timers(void **state)
{
	for (int i = 0; i < FAKE_THREADS; i++)
		fake_add_runner(&world);
	world.options.duration_ns = 50 * MS;
	world.options.rate_hz = 100;
	fake_run_well(&world);
	assert_int_equal(world.most_timers, FAKE_THREADS);
}

static void who_waits_needs_none(void **state)
{
	fake_add_runner(&world);
	fake_add_sleeper(&world, 0);
	world.options.mode = SPROF_MODE_WAIT;
	fake_run(&world);
	assert_int_equal(world.most_timers, 0);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("kernel")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(a_runner_is_hardly_stopped),
		SCENARIO(a_runner_is_stopped_now_and_then),
		SCENARIO(its_time_is_handed_out_once_a_second),
		SCENARIO(short_calls_are_found_by_stops),
		SCENARIO(rare_calls_are_found_by_some_stops),
		SCENARIO(long_calls_are_found_by_stops),
		SCENARIO(calls_have_records),
		SCENARIO(rare_calls_have_records),
		SCENARIO(who_sleeps_is_peeked_at),
		SCENARIO(a_record_of_before_does_not_end_a_sleep),
		SCENARIO(who_waits_for_a_cpu_repeats_its_last_sample),
		SCENARIO(short_bursts_have_samples),
		SCENARIO(a_long_sleeper_has_no_timer),
		SCENARIO(where_it_is_refused_stops_do_it),
		SCENARIO(without_schedstat_stops_do_it),
		SCENARIO(a_thread_that_is_gone_is_not_refused),
		SCENARIO(a_program_that_was_executed_is_another),
		SCENARIO(the_last_records_count),
		SCENARIO(what_was_lost_is_counted),
		SCENARIO(while_sampling_is_off_there_are_no_timers),
		SCENARIO(of_many_threads_some_have_timers),
		SCENARIO(who_waits_needs_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
