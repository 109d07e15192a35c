/*
 * The sampler in a made-up world: the transitions of a thread's state, one by one.
 */
#include <string.h>

#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)
#define MS ((uint64_t)SPROF_NS_PER_MS)

enum { LATER = 1000 }; /* ms after the end of a run */

static struct fake_world world;

static int set_up(void **state)
{
	fake_init(&world, 1);
	return 0;
}

static void a_sleeper_is_peeked_at_once_and_reused(void **state)
{
	struct fake_thread *sleeper = fake_add_sleeper(&world, 0);

	fake_run_well(&world);
	assert_int_equal(world.quality.samples_peeked, 1);
	assert_int_equal(world.quality.samples_reused, sleeper->samples - 1);
	assert_int_equal(world.interrupts, 0);
	assert_int_equal(world.walks, 1);
	assert_int_equal(sleeper->samples, world.quality.ticks);
	assert_true(sleeper->charged[SPROF_TIME_SLEEP] > 97 * MS);
	assert_int_equal(sleeper->charged[SPROF_TIME_USER], 0);
}

static void a_runner_is_stopped_in_every_tick(void **state)
{
	const struct fake_thread *runner;

	fake_add_sleeper(&world, 0);
	runner = fake_add_runner(&world);
	fake_run_well(&world);
	assert_int_equal(world.quality.samples_stopped, world.ticks);
	assert_int_equal(runner->states[SPROF_STATE_USER], world.ticks);
	assert_int_equal(runner->states[SPROF_STATE_SLEEP], 0);
	/* While it stood still, it neither ran nor waited. */
	assert_true(runner->charged[SPROF_TIME_STOLEN] > runner->stood_ns / 2);
	assert_int_equal(runner->charged[SPROF_TIME_SLEEP], 0);
}

/* The time that it stood still is not sleep either, even if it sleeps at other times. */
static void standing_still_is_no_wait(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 40; i++) {
		fake_act(thread, DOING_USER, 4 * MS);
		fake_act(thread, DOING_SLEEP, MS);
	}
	world.cost_ns = 100 * US;
	fake_run_well(&world);
	assert_true(thread->stood_ns > 2 * MS);
	assert_true(thread->charged[SPROF_TIME_STOLEN] > thread->stood_ns / 2);
	assert_true(thread->charged[SPROF_TIME_SLEEP] < thread->blocked_ns + thread->stood_ns / 2);
}

static void time_is_handed_out_once_a_second(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world),
			   *sleeper = fake_add_sleeper(&world, 0);

	runner->acts[0].ns = sleeper->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 4 * LATER * MS;
	world.options.rate_hz = 100;
	fake_run_well(&world);
	assert_in_range(runner->charges, 4, 6);
	assert_in_range(sleeper->charges, 4, 6);
}

static void a_new_name_is_told(void **state)
{
	struct fake_thread *sleeper = fake_add_sleeper(&world, 0);

	sleeper->acts[0].ns = 10 * LATER * MS;
	sleeper->renamed_ns = world.now_ns + 500 * MS;
	world.options.duration_ns = 3 * LATER * MS;
	world.options.rate_hz = 100;
	fake_run_well(&world);
	assert_int_equal(sleeper->told, 2);
}

static void one_that_wakes_is_not_where_it_was(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 10; i++) {
		fake_act(thread, DOING_SLEEP, 7 * MS);
		fake_act(thread, DOING_USER, 3 * MS);
	}
	fake_act(thread, DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	assert_in_range(thread->states[SPROF_STATE_SLEEP], 55, 85);
	assert_in_range(thread->states[SPROF_STATE_USER], 18, 40);
	assert_in_range(world.quality.samples_peeked, 10, 12);
}

/* The deciding reads take time: it is asleep when it should be stopped. */
static void one_that_falls_asleep_before_its_stop_is_not_stopped(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 100; i++) {
		fake_act(thread, DOING_USER, 500 * US + fake_random(&world, 30 * US));
		fake_act(thread, DOING_SLEEP, 500 * US);
	}
	fake_act(thread, DOING_SLEEP, LATER * MS);
	world.cost_ns = 20 * US;
	fake_run_well(&world);
	assert_true(thread->states[SPROF_STATE_SLEEP] + thread->states[SPROF_STATE_USER] > 80);
}

/* Its stop comes once it gets a CPU: then its sample is taken. */
static void a_late_stop_is_a_sample(void **state)
{
	struct fake_thread *runner;

	fake_add_sleeper(&world, 0);
	runner = fake_add_runner(&world);
	runner->latency_ns = 40 * MS;
	fake_run_well(&world);
	assert_true(runner->samples >= 2);
	assert_int_equal(runner->states[SPROF_STATE_SLEEP], 0);
	assert_true(world.interrupts <= runner->samples + 1);
	assert_true(runner->ns[SPROF_STATE_USER] > 50 * MS);
}

static void one_that_runs_uninterruptibly_is_peeked_at(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_add_sleeper(&world, 0);
	for (int i = 0; i < 20; i++) {
		fake_act(thread, DOING_USER, 2 * MS);
		fake_act(thread, DOING_DISK, 8 * MS);
	}
	fake_run_well(&world);
	assert_in_range(thread->states[SPROF_STATE_DISK], 60, 90);
	assert_true(thread->charged[SPROF_TIME_DISK] > 60 * MS);
	assert_true(thread->charged[SPROF_TIME_SLEEP] < 5 * MS);
}

static void a_program_that_was_executed_is_another(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_act(thread, DOING_SLEEP, 20 * MS);
	fake_act(thread, DOING_EXEC, 0);
	fake_act(thread, DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	/* Its new name is reported, and its sleep is looked at again. */
	assert_int_equal(thread->told, 2);
	assert_true(world.quality.samples_peeked >= 2);
	assert_true(world.maps_reads >= 2);
	assert_int_equal(thread->states[SPROF_STATE_SLEEP], thread->samples);
}

/* Even if the new program's sleep has as many time slices. */
static void an_exec_ends_a_sleep_and_its_wait(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_set_owner(&world, NULL);
	thread->futex = FAKE_FUTEX;
	fake_act(thread, DOING_SLEEP, 10 * MS);
	fake_act(thread, DOING_EXEC, 0);
	fake_act(thread, DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	assert_int_equal(world.quality.samples_peeked, 2);
	assert_int_equal(world.quality.waits_looked_up, 2);
}

static void one_that_is_born_has_all_its_time(void **state)
{
	struct fake_thread *born;

	fake_add_sleeper(&world, 0);
	born = fake_add(&world, 0, 30 * MS + 100 * US);
	fake_act(born, DOING_READY, 5 * MS);
	fake_act(born, DOING_USER, 30 * MS);
	fake_act(born, DOING_END, 0);
	fake_run_well(&world);
	/* Before its first CPU it has no stack. */
	assert_in_range(born->samples, 25, 32);
	assert_int_equal(born->states[SPROF_STATE_USER], born->samples);
	assert_true(born->charged[SPROF_TIME_USER] + born->charged[SPROF_TIME_SYS] >= 30 * MS - MS);
	assert_in_range(born->charged[SPROF_TIME_RUNQ], 5 * MS - US, 5 * MS + US);
}

static void one_between_two_ticks_has_its_time(void **state)
{
	struct fake_thread *born;

	world.options.rate_hz = 20;
	fake_add_sleeper(&world, 0);
	born = fake_add(&world, 0, 10 * MS);
	fake_act(born, DOING_USER, 20 * MS);
	fake_act(born, DOING_END, 0);
	fake_run_well(&world);
	assert_int_equal(born->samples, 0);
	assert_true(born->charged[SPROF_TIME_USER] >= 19 * MS);
	assert_int_equal(born->told, 1);
}

static void one_that_ends_in_its_sleep(void **state)
{
	struct fake_thread *thread;

	fake_add_sleeper(&world, 0);
	thread = fake_add(&world, 1, 0);
	fake_act(thread, DOING_SLEEP, 40 * MS);
	fake_act(thread, DOING_END, 0);
	fake_run_well(&world);
	assert_in_range(thread->samples, 37, 42);
	assert_true(thread->charged[SPROF_TIME_SLEEP] >= 38 * MS);
}

/* A leader that has ended before its threads: its time ends then. */
static void the_dead_use_no_time(void **state)
{
	struct fake_thread *leader = fake_add(&world, 0, 0);

	fake_act(leader, DOING_USER, 20 * MS);
	fake_act(leader, DOING_END, 0);
	leader->unreaped_ns = LATER * MS;
	fake_add_sleeper(&world, 0);
	fake_run_well(&world);
	assert_in_range(leader->charged[SPROF_TIME_USER], 19 * MS, 20 * MS);
	assert_true(
		leader->charged[SPROF_TIME_SLEEP] + leader->charged[SPROF_TIME_STOLEN] < 4 * MS);
}

/* Its figures at its end are not those of its sleep. */
static void work_between_a_sleep_and_the_end_counts(void **state)
{
	struct fake_thread *thread;

	fake_add_sleeper(&world, 0);
	thread = fake_add(&world, 1, 0);
	fake_act(thread, DOING_SLEEP, 34 * MS);
	fake_act(thread, DOING_USER, 5 * MS);
	fake_act(thread, DOING_END, 0);
	thread->unreaped_ns = LATER * MS;
	world.options.rate_hz = 100;
	fake_run(&world);
	assert_int_equal(thread->charged[SPROF_TIME_USER], 5 * MS);
}

static void a_new_sink_hears_of_everything(void **state)
{
	struct fake_thread *sleeper = fake_add_sleeper(&world, 0),
			   *runner = fake_add_runner(&world);

	world.options.period_ns = 20 * MS;
	fake_run_well(&world);
	assert_in_range(world.periods, 3, 5);
	assert_int_equal(sleeper->told, 1);
	assert_int_equal(runner->told, 1);
	/* Each period has its own figures. */
	assert_true(world.quality.ticks < 30);
}

/* The old sink's wait id means nothing to the new sink. */
static void a_new_sink_hears_of_a_wait_that_goes_on(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_act(thread, DOING_SLEEP, 10 * MS);
	fake_act(thread, DOING_READY, 100 * US);
	fake_act(thread, DOING_RESTART, LATER * MS);
	world.options.period_ns = 20 * MS;
	fake_run_well(&world);
	assert_in_range(world.periods, 3, 5);
	assert_true(world.waits > world.wait_base);
}

static void without_schedstat_nothing_is_reused(void **state)
{
	struct fake_thread *sleeper = fake_add_sleeper(&world, 0);

	world.quality.schedstat_missing = true;
	fake_run_well(&world);
	assert_int_equal(world.quality.samples_reused, 0);
	assert_int_equal(world.quality.samples_peeked, sleeper->samples);
}

static void a_group_stop_is_no_wait(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_act(thread, DOING_SLEEP, 30 * MS);
	fake_act(thread, DOING_USER, 100 * US);
	fake_act(thread, DOING_GROUP_STOP, LATER * MS);
	thread->thread.phase = SPROF_THREAD_RUNNING;
	fake_run_well(&world);
	assert_true(thread->states[SPROF_STATE_STOPPED] > 60);
	assert_true(thread->charged[SPROF_TIME_STOPPED] > 60 * MS);
}

/* The CPU of a running thread is believed for some time: stat costs more than all else. */
static void the_cpu_of_a_runner_is_believed_for_a_while(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	world.can_ask = true;
	runner->acts[0].ns = 3 * MS;
	fake_act(runner, DOING_FAULT, 100 * US);
	fake_act(runner, DOING_USER, LATER * MS);
	fake_run_well(&world);
	assert_true(runner->stat_reads < runner->samples / 2);
}

/* A stop that is not seen at once was requested on the wrong CPU. */
static void the_cpu_of_a_slow_stop_is_doubted(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	world.can_ask = true;
	runner->acts[0].ns = 3 * MS;
	fake_act(runner, DOING_FAULT, 100 * US);
	fake_act(runner, DOING_USER, LATER * MS);
	runner->latency_ns = 80 * US;
	world.is_alone = true;
	fake_run_well(&world);
	assert_true(runner->stat_reads > runner->samples * 3 / 4);
}

static void page_faults_make_mappings_doubtful(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 40; i++) {
		fake_act(thread, DOING_FAULT, 200 * US);
		fake_act(thread, DOING_USER, 2 * MS);
	}
	fake_act(thread, DOING_USER, LATER * MS);
	world.can_ask = true;
	fake_run_well(&world);
	/* Mappings are asked about, not read again. */
	assert_true(world.maps_reads <= 3);
}

/* An interrupt would meet such a thread where it enters the kernel. */
static void many_page_faults_are_noticed(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	for (int i = 0; i < 80; i++) {
		fake_act(thread, DOING_FAULT, 50 * US);
		fake_act(thread, DOING_USER, 200 * US);
	}
	fake_act(thread, DOING_USER, LATER * MS);
	fake_run_well(&world);
	assert_true(thread->was_entering);
}

/* However many it has had in its life. */
static void a_page_fault_now_and_then_is_none(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	thread->faults = 1000 * 1000;
	for (int i = 0; i < 10; i++) {
		fake_act(thread, DOING_FAULT, 50 * US);
		fake_act(thread, DOING_USER, 10 * MS);
	}
	fake_act(thread, DOING_USER, LATER * MS);
	fake_run_well(&world);
	assert_false(thread->was_entering);
}

static void a_signal_ends_the_run_with_all_time(void **state)
{
	fake_add_sleeper(&world, 0);
	fake_add_runner(&world);
	world.signal_ns = world.now_ns + 50 * MS;
	fake_run_well(&world);
	assert_in_range(world.quality.ticks, 45, 53);
}

/* The target ends while the sampler has no CPU: the ticks until then are not forgotten. */
static void ticks_missed_before_the_end_are_counted(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);
	uint64_t planned;

	fake_act(thread, DOING_USER, 50 * MS);
	fake_act(thread, DOING_END, 0);
	world.stall_ns = world.now_ns + 20 * MS + 100 * US;
	world.stall_length_ns = 40 * MS;
	fake_run_well(&world);
	planned = world.quality.duration_ns / MS;
	assert_in_range(planned, 60, 63);
	assert_in_range(world.quality.ticks + world.quality.ticks_missed, planned - 2, planned + 2);
}

/* The last wait ends late. The tick that was due meanwhile is late, also where it was planned behind the end. */
static void a_late_closing_tick_is_counted_as_late(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		fake_init(&world, seed);
		fake_add_sleeper(&world, 0);
		world.hold_up_ns = world.now_ns + world.options.duration_ns - 100 * US;
		world.stall_length_ns = 40 * MS;
		fake_run_well(&world);
		assert_int_equal(world.quality.ticks_late, 1);
	}
}

static void a_thread_that_could_not_be_taken_in_ends_the_run(void **state)
{
	fake_add_sleeper(&world, 0);
	world.lacks_memory = true;
	fake_run(&world);
	assert_non_null(strstr(world.wrong, "the run failed"));
	assert_true(world.quality.ticks <= 2);
}

static void only_who_runs(void **state)
{
	struct fake_thread *sleeper = fake_add_sleeper(&world, 0),
			   *runner = fake_add_runner(&world);

	world.options.mode = SPROF_MODE_CPU;
	fake_run_well(&world);
	assert_int_equal(sleeper->samples, 0);
	assert_int_equal(world.walks, runner->samples);
	assert_int_equal(sleeper->looks > 90, true);
}

static void only_who_waits(void **state)
{
	struct fake_thread *sleeper = fake_add_sleeper(&world, 0),
			   *runner = fake_add_runner(&world);

	world.options.mode = SPROF_MODE_WAIT;
	fake_run(&world);
	assert_int_equal(runner->samples, 0);
	assert_int_equal(sleeper->samples, world.quality.ticks);
	/* Except in the closing tick, for its figures. */
	assert_true(world.interrupts <= 1);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("scenarios")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(a_sleeper_is_peeked_at_once_and_reused),
		SCENARIO(a_runner_is_stopped_in_every_tick),
		SCENARIO(standing_still_is_no_wait),
		SCENARIO(time_is_handed_out_once_a_second),
		SCENARIO(a_new_name_is_told),
		SCENARIO(one_that_wakes_is_not_where_it_was),
		SCENARIO(one_that_falls_asleep_before_its_stop_is_not_stopped),
		SCENARIO(a_late_stop_is_a_sample),
		SCENARIO(one_that_runs_uninterruptibly_is_peeked_at),
		SCENARIO(a_program_that_was_executed_is_another),
		SCENARIO(an_exec_ends_a_sleep_and_its_wait),
		SCENARIO(one_that_is_born_has_all_its_time),
		SCENARIO(one_between_two_ticks_has_its_time),
		SCENARIO(one_that_ends_in_its_sleep),
		SCENARIO(the_dead_use_no_time),
		SCENARIO(work_between_a_sleep_and_the_end_counts),
		SCENARIO(a_new_sink_hears_of_everything),
		SCENARIO(a_new_sink_hears_of_a_wait_that_goes_on),
		SCENARIO(without_schedstat_nothing_is_reused),
		SCENARIO(a_group_stop_is_no_wait),
		SCENARIO(the_cpu_of_a_runner_is_believed_for_a_while),
		SCENARIO(the_cpu_of_a_slow_stop_is_doubted),
		SCENARIO(page_faults_make_mappings_doubtful),
		SCENARIO(many_page_faults_are_noticed),
		SCENARIO(a_page_fault_now_and_then_is_none),
		SCENARIO(a_signal_ends_the_run_with_all_time),
		SCENARIO(ticks_missed_before_the_end_are_counted),
		SCENARIO(a_late_closing_tick_is_counted_as_late),
		SCENARIO(a_thread_that_could_not_be_taken_in_ends_the_run),
		SCENARIO(only_who_runs),
		SCENARIO(only_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
