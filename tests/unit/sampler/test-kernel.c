/*
 * The sampler in a made-up world with timers in the kernel: who tells where a running thread is.
 */
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

static void a_runner_is_hardly_stopped(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 1000 * MS;
	fake_run_well(&world);
	assert_int_equal(runner->timers, 1);
	assert_int_equal(world.quality.samples_by_kernel, runner->records);
	assert_in_range(world.quality.samples_by_kernel, 950, 1030);
	/* Those before its timer, one more where its first record comes just after a tick, and for its figures. */
	assert_in_range(world.quality.samples_stopped, 2, 5);
	assert_int_equal(runner->states[SPROF_STATE_USER], runner->samples);
	assert_in_range(world.interrupts, 2, 5);
	assert_int_equal(world.quality.samples_lost, 0);
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

/* The samples of both parts explain the CPU time of each. */
static void calls_have_records(void **state)
{
	const struct fake_thread *thread = &world.threads[0];

	add_worker(7 * MS / 9, 3 * MS / 9);
	world.options.duration_ns = 120 * MS;
	fake_run_well(&world);
	assert_in_range(thread->ns[SPROF_STATE_USER], 72 * MS, 96 * MS);
	assert_in_range(thread->ns[SPROF_STATE_SYS], 24 * MS, 48 * MS);
	assert_in_range(world.interrupts, 1, 8);
	assert_in_range(world.quality.samples_by_kernel, 110, 125);
}

static void rare_calls_have_records(void **state)
{
	uint64_t calls_ns = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		fake_init(&world, seed);
		world.options.by_kernel = true;
		add_worker(19 * MS / 11, MS / 11);
		world.options.duration_ns = 200 * MS;
		fake_run_well(&world);
		calls_ns += world.threads[0].ns[SPROF_STATE_SYS];
		assert_true(world.interrupts < 8);
	}
	/* A twentieth of 40 * 200 ms. */
	assert_in_range(calls_ns, 320 * MS, 480 * MS);
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
	assert_in_range(thread->ns[SPROF_STATE_USER], 635 * MS, 655 * MS);
	assert_in_range(thread->ns[SPROF_STATE_SLEEP], 330 * MS, 355 * MS);
	assert_int_equal(thread->timers, 1);
}

/* A record between the begin of a tick and its look is read when the look has found the thread asleep. */
static void a_record_of_before_does_not_end_a_sleep(void **state)
{
	uint64_t awake_ns = 0, expected_ns = 0;

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
		awake_ns += thread->ns[SPROF_STATE_USER];
		expected_ns += thread->user_ns;
	}
	assert_in_range(awake_ns, expected_ns - expected_ns / 50, expected_ns);
}

/* Records follow its CPU time; its wait for a CPU is shared out with that. */
static void who_waits_for_a_cpu_keeps_its_samples(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 30; i++) {
		fake_act(thread, DOING_USER, 20 * MS);
		fake_act(thread, DOING_READY, 40 * MS);
	}
	world.options.duration_ns = 1500 * MS;
	fake_run_well(&world);
	assert_in_range(thread->ns[SPROF_STATE_USER], 485 * MS, 501 * MS);
	assert_int_equal(thread->states[SPROF_STATE_USER], thread->samples);
	assert_in_range(thread->charged[SPROF_TIME_RUNQ], 950 * MS, 1000 * MS);
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
	assert_in_range(thread->ns[SPROF_STATE_USER], 54 * MS, 55 * MS);
	assert_in_range(thread->samples, 5, 7);
}

static void what_was_lost_is_counted(void **state)
{
	fake_add_runner(&world);
	world.options.duration_ns = 400 * MS;
	world.hold_up_ns = world.now_ns + 50 * MS;
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
		SCENARIO(its_time_is_handed_out_once_a_second),
		SCENARIO(calls_have_records),
		SCENARIO(rare_calls_have_records),
		SCENARIO(who_sleeps_is_peeked_at),
		SCENARIO(a_record_of_before_does_not_end_a_sleep),
		SCENARIO(who_waits_for_a_cpu_keeps_its_samples),
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
