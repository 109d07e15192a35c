/*
 * The sampler in a made-up world: processes that sleep as a whole, locks and their holders, and
 * hundreds of random schedules. SPROF_TEST_SEED=N repeats one of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)
#define MS ((uint64_t)SPROF_NS_PER_MS)

enum { SCHEDULES = 200, LATER = 1000 }; /* LATER: ms after the end of a run */

static struct fake_world world;

static int set_up(void **state)
{
	fake_init(&world, 1);
	return 0;
}

static void add_quiet_process(size_t sleepers)
{
	for (size_t i = 0; i < sleepers; i++)
		fake_add_sleeper(&world, 0);
	world.is_alone = true;
	world.options.duration_ns = 900 * MS;
}

/* A thread is not looked at if the process's clock says that it has not run. */
static void a_quiet_process_is_spared(void **state)
{
	uint64_t looks = 0;

	add_quiet_process(20);
	fake_run_well(&world);
	for (size_t i = 0; i < 20; i++) {
		looks += world.threads[i].looks;
		assert_in_range(world.threads[i].ns[SPROF_STATE_SLEEP], 897 * MS, 901 * MS);
	}
	assert_true(looks < 20 * world.quality.ticks / 3);
}

static void who_wakes_in_a_quiet_process_has_slept(void **state)
{
	struct fake_thread *waker;

	add_quiet_process(20);
	waker = &world.threads[7];
	waker->acts[0].ns = 600 * MS + 300 * US;
	fake_act(waker, DOING_USER, 60 * MS);
	fake_act(waker, DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	/* It is known to have slept until then, and no time is lost. */
	assert_in_range(waker->states[SPROF_STATE_USER], 55, 62);
	assert_in_range(waker->ns[SPROF_STATE_USER], 58 * MS, 60 * MS);
	for (size_t i = 0; i < 20; i++)
		assert_in_range(world.threads[i].ns[SPROF_STATE_SLEEP],
			i == 7 ? 835 * MS : 897 * MS, 901 * MS);
}

/* Nobody has seen it run, but the process's clock tells. */
static void who_runs_between_two_ticks_is_somewhere_else(void **state)
{
	add_quiet_process(20);
	world.threads[7].acts[0].ns = 600 * MS + 300 * US;
	fake_act(&world.threads[7], DOING_USER, 100 * US);
	fake_act(&world.threads[7], DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	assert_int_equal(world.quality.samples_peeked, 21);
}

/* The next sleep gets none of the time for which the process was quiet. */
static void a_spared_sleep_has_its_whole_time(void **state)
{
	struct fake_thread *sleeper;

	add_quiet_process(20);
	sleeper = &world.threads[7];
	sleeper->act_count = 0;
	fake_act(sleeper, DOING_DISK, 600 * MS + 300 * US);
	fake_act(sleeper, DOING_USER, 100 * US);
	fake_act(sleeper, DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	assert_in_range(sleeper->ns[SPROF_STATE_DISK], 590 * MS, 602 * MS);
	assert_in_range(sleeper->ns[SPROF_STATE_SLEEP], 297 * MS, 310 * MS);
}

/* Soon after a burst the next one may come. */
static void no_look_is_spared_where_bursts_come_often(void **state)
{
	struct fake_thread *bursts;

	add_quiet_process(20);
	bursts = &world.threads[7];
	bursts->act_count = 0;
	for (int i = 0; i < 20; i++) {
		fake_act(bursts, DOING_SLEEP, 50 * MS + 300 * US);
		fake_act(bursts, DOING_USER, 100 * US);
	}
	fake_run_well(&world);
	assert_true(world.threads[3].looks > world.quality.ticks * 3 / 4);
}

/* A thread that ends while spared has slept until then. */
static void who_ends_in_a_quiet_process_has_slept(void **state)
{
	struct fake_thread *ender;

	add_quiet_process(20);
	ender = &world.threads[3];
	ender->acts[0].ns = 500 * MS + 500 * US;
	fake_act(ender, DOING_END, 0);
	fake_run_well(&world);
	assert_in_range(ender->ns[SPROF_STATE_SLEEP], 498 * MS, 502 * MS);
}

static void who_executes_in_a_quiet_process_has_slept(void **state)
{
	struct fake_thread *thread;

	add_quiet_process(20);
	thread = &world.threads[0];
	thread->acts[0].ns = 500 * MS + 500 * US;
	fake_act(thread, DOING_EXEC, 0);
	fake_act(thread, DOING_SLEEP, LATER * MS);
	fake_run_well(&world);
	assert_in_range(thread->ns[SPROF_STATE_SLEEP], 897 * MS, 901 * MS);
}

static struct fake_thread *add_waiter(void)
{
	struct fake_thread *waiter = fake_add_sleeper(&world, 0);

	waiter->futex = FAKE_FUTEX;
	return waiter;
}

static void a_waiter_says_who_holds_its_lock(void **state)
{
	const struct fake_thread *waiter = add_waiter(), *owner = fake_add_runner(&world);

	fake_set_owner(&world, owner);
	fake_run_well(&world);
	assert_int_equal(waiter->holders, waiter->samples);
	assert_int_equal(waiter->last_holder, owner->thread.id);
	assert_int_equal(world.quality.waits_looked_up, 1);
}

/* A holder without a look is still where it was. */
static void a_spared_holder_is_somewhere(void **state)
{
	add_quiet_process(20);
	world.threads[5].futex = FAKE_FUTEX;
	world.threads[5].is_shared = true;
	fake_set_owner(&world, &world.threads[6]);
	fake_run_well(&world);
	assert_int_equal(world.threads[5].holders, world.threads[5].samples);
	assert_int_equal(world.threads[5].placeless, 0);
	assert_true(world.threads[6].looks < world.quality.ticks / 2);
}

/* A thread that waited while its process was quiet waited for the holder of that time. */
static void what_was_slept_through_had_another_holder(void **state)
{
	add_quiet_process(20);
	world.threads[5].futex = FAKE_FUTEX;
	fake_set_owner(&world, &world.threads[6]);
	world.threads[7].acts[0].ns = 600 * MS + 300 * US;
	fake_act(&world.threads[7], DOING_USER, 20 * MS);
	fake_act(&world.threads[7], DOING_SLEEP, LATER * MS);
	world.next_owner = FAKE_OWN_TID + 8;
	world.owner_ns = world.now_ns + 600 * MS + 300 * US;
	fake_run_well(&world);
	assert_in_range(world.threads[6].held_ns, 597 * MS, 602 * MS);
	assert_in_range(world.threads[8].held_ns, 296 * MS, 301 * MS);
}

/* A sleeper's figures among many are not read again; those of a woken thread are. */
static void one_of_many_that_wakes_has_its_time(void **state)
{
	struct fake_thread *waker;

	for (size_t i = 0; i < 110; i++)
		fake_add_sleeper(&world, 0)->acts[0].ns = 10 * LATER * MS;
	waker = &world.threads[50];
	waker->acts[0].ns = 500 * MS;
	fake_act(waker, DOING_USER, 10 * LATER * MS);
	world.options.duration_ns = 3 * LATER * MS;
	world.options.rate_hz = 50;
	fake_run_well(&world);
	assert_true(waker->charged[SPROF_TIME_SLEEP] < 600 * MS);
}

/* The waiter does not run meanwhile. */
static void a_lock_changes_hands(void **state)
{
	const struct fake_thread *waiter = add_waiter(), *owner = fake_add_runner(&world),
				 *next = fake_add_runner(&world);

	fake_set_owner(&world, owner);
	world.next_owner = FAKE_OWN_TID + next->thread.id;
	world.owner_ns = world.now_ns + 50 * MS;
	fake_run_well(&world);
	assert_int_equal(waiter->holders, waiter->samples);
	assert_int_equal(waiter->last_holder, next->thread.id);
	assert_int_equal(world.quality.samples_peeked, 1);
}

/* At first it may have got the lock since it was seen asleep. */
static void a_thread_waits_for_itself_if_that_lasts(void **state)
{
	const struct fake_thread *waiter = add_waiter();

	fake_set_owner(&world, waiter);
	fake_run_well(&world);
	assert_int_equal(waiter->holders, waiter->samples - 1);
	assert_int_equal(waiter->last_holder, waiter->thread.id);
}

/* Once it runs, it waits for nothing. Its next wait is looked up. */
static void a_wait_ends_when_its_thread_runs(void **state)
{
	struct fake_thread *waiter = fake_add(&world, 0, 0);
	const struct fake_thread *owner = fake_add_runner(&world);

	waiter->futex = FAKE_FUTEX;
	for (int i = 0; i < 5; i++) {
		fake_act(waiter, DOING_SLEEP, 10 * MS);
		fake_act(waiter, DOING_USER, 10 * MS);
	}
	fake_set_owner(&world, owner);
	fake_run_well(&world);
	assert_int_equal(waiter->holders, waiter->states[SPROF_STATE_SLEEP]);
	assert_int_equal(world.quality.waits_looked_up, 5);
}

static void a_call_that_is_restarted_is_the_same_wait(void **state)
{
	struct fake_thread *thread = fake_add(&world, 0, 0);

	fake_act(thread, DOING_SLEEP, 30 * MS);
	fake_act(thread, DOING_READY, 100 * US);
	fake_act(thread, DOING_RESTART, LATER * MS);
	/* The kernel counts it as a time slice. */
	fake_run_well(&world);
	assert_int_equal(world.quality.waits_looked_up, 1);
}

/* Threads come, execute programs, and end. */
static void add_by_chance(void)
{
	uint64_t birth = fake_random(&world, 3) ? 0 : 1 + fake_random(&world, 50 * MS);
	struct fake_thread *thread = fake_add(&world, fake_random(&world, 3), birth);

	fake_random_acts(&world, thread, fake_random(&world, 70 * MS));
	if (!fake_random(&world, 8))
		fake_act(thread, DOING_EXEC, 0);
	fake_random_acts(&world, thread, fake_random(&world, 30 * MS));
	if (fake_random(&world, 2))
		fake_act(thread, DOING_END, 0);
}

/* It never ends. */
static void add_one_that_stays(void)
{
	struct fake_thread *thread = fake_add(&world, fake_random(&world, 3), 0);

	fake_random_acts(&world, thread, fake_random(&world, 70 * MS));
}

/* The late stop has come. A later stop, for a tick that has its sample, is not a sample. */
static void nothing_is_taken_twice(void **state)
{
	struct fake_thread *thread;

	fake_add_sleeper(&world, 0);
	thread = fake_add(&world, 0, 0);
	thread->latency_ns = 300 * US;
	thread->deaf_ns = 5 * MS;
	fake_act(thread, DOING_USER, 8 * MS);
	for (int i = 0; i < 60; i++) {
		fake_act(thread, DOING_USER, 200 * US + fake_random(&world, MS));
		fake_act(thread, DOING_DISK, 2 * MS);
	}
	fake_run_well(&world);
	assert_true(thread->samples <= world.quality.ticks + 1);
}

/*
 * A thread does one thing all the time. Each stop comes latency_ns after sprof has asked for it: its samples explain
 * all its time, however late.
 */
static void check_late(enum doing doing, enum sprof_state state, uint64_t latency_ns)
{
	struct fake_thread *thread;

	fake_init(&world, 0);
	fake_add_sleeper(&world, 0);
	thread = fake_add(&world, 0, 0);
	thread->latency_ns = latency_ns;
	fake_act(thread, doing, 200 * MS);
	fake_run_well(&world);
	assert_in_range(thread->ns[state], thread->cpu_ns - latency_ns - 2 * MS, thread->cpu_ns);
}

static void a_stop_that_comes_late_loses_nothing(void **state)
{
	for (uint64_t late_ns = 10 * US; late_ns < 20 * MS; late_ns *= 8) {
		check_late(DOING_CALL, SPROF_STATE_SYS, late_ns);
		check_late(DOING_USER, SPROF_STATE_USER, late_ns);
	}
}

/* Every schedule is another one. */
static void by_chance(uint64_t seed, bool by_kernel)
{
	bool all_stay = seed % 3 == 0;
	size_t count;

	fake_init(&world, seed);
	world.options.by_kernel = by_kernel;
	fake_add_sleeper(&world, 0);
	world.cost_ns = US + fake_random(&world, 12 * US);
	world.options.duration_ns = 60 * MS;
	world.options.period_ns = all_stay || fake_random(&world, 4) ? 0 : 25 * MS;
	world.can_ask = fake_random(&world, 2);
	world.is_alone = fake_random(&world, 2);
	count = 2 + fake_random(&world, 30);
	for (size_t i = 0; i < count; i++) {
		struct fake_thread *thread = &world.threads[world.thread_count];

		if (all_stay)
			add_one_that_stays();
		else
			add_by_chance();
		thread->latency_ns = fake_random(&world, 8) ? fake_random(&world, 40 * US)
							    : fake_random(&world, 20 * MS);
		thread->futex = fake_random(&world, 6) ? 0 : FAKE_FUTEX;
	}
	fake_run(&world);
	if (world.wrong[0])
		fail_msg("SPROF_TEST_SEED=%llu: %s", (unsigned long long)seed, world.wrong);
}

static void all_by_chance(bool by_kernel)
{
	const char *given = getenv("SPROF_TEST_SEED");

	if (given) {
		by_chance(strtoull(given, NULL, 10), by_kernel);
		return;
	}
	for (uint64_t seed = 1; seed <= SCHEDULES; seed++)
		by_chance(seed, by_kernel);
}

static void schedules_by_chance(void **state)
{
	all_by_chance(false);
}

static void schedules_by_chance_with_timers(void **state)
{
	all_by_chance(true);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("schedules")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(a_quiet_process_is_spared),
		SCENARIO(who_wakes_in_a_quiet_process_has_slept),
		SCENARIO(a_spared_sleep_has_its_whole_time),
		SCENARIO(who_runs_between_two_ticks_is_somewhere_else),
		SCENARIO(no_look_is_spared_where_bursts_come_often),
		SCENARIO(who_ends_in_a_quiet_process_has_slept),
		SCENARIO(who_executes_in_a_quiet_process_has_slept),
		SCENARIO(a_waiter_says_who_holds_its_lock),
		SCENARIO(a_spared_holder_is_somewhere),
		SCENARIO(what_was_slept_through_had_another_holder),
		SCENARIO(one_of_many_that_wakes_has_its_time),
		SCENARIO(a_lock_changes_hands),
		SCENARIO(a_thread_waits_for_itself_if_that_lasts),
		SCENARIO(a_wait_ends_when_its_thread_runs),
		SCENARIO(a_call_that_is_restarted_is_the_same_wait),
		SCENARIO(nothing_is_taken_twice),
		SCENARIO(a_stop_that_comes_late_loses_nothing),
		SCENARIO(schedules_by_chance),
		SCENARIO(schedules_by_chance_with_timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
