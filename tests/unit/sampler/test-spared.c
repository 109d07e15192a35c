/*
 * The sampler in a made-up world with timers in the kernel: ticks that need no look, and whose time the
 * ledger gives to what.
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

/* At 100 Hz, beside one that only computes. */
static struct fake_thread *begin(uint64_t seed)
{
	fake_init(&world, seed);
	world.options.by_kernel = true;
	world.options.rate_hz = 100;
	fake_add_runner(&world)->acts[0].ns = 20 * LATER * MS;
	return fake_add(&world, 0, 0);
}

/* The timer records every run, so the sampler needs no look at a thread in each tick. */
static void where_timers_cover_all_looks_are_spared(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 2 * LATER * MS;
	fake_run_well(&world);
	assert_in_range(runner->looks, 180, 500);
	assert_in_range(runner->samples, 1950, 2050);
	assert_in_range(runner->ns[SPROF_STATE_USER], 1990 * MS, 2001 * MS);
	assert_int_equal(world.quality.ticks_missed, 0);
	assert_in_range(world.quality.ticks, 1950, 2050);
	assert_int_equal(world.quality.samples_lost, 0);
}

/* At 100 Hz up to eight in a row, but not for longer than a tenth of a second. */
static void at_low_rates_looks_are_spared_too(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.rate_hz = 100;
	world.options.duration_ns = 5 * LATER * MS;
	fake_run_well(&world);
	assert_in_range(runner->looks, 100, 300);
	assert_in_range(runner->samples, 490, 515);
	assert_int_equal(world.quality.ticks_missed, 0);
	assert_int_equal(world.quality.samples_lost, 0);
}

/* A sleeper may run at any moment, and has no timer. */
static void beside_a_sleeper_no_look_is_spared(void **state)
{
	const struct fake_thread *sleeper = fake_add_sleeper(&world, 0);

	fake_add_runner(&world)->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = LATER * MS;
	fake_run_well(&world);
	assert_true(sleeper->looks >= world.quality.ticks);
}

/* Of a sampler that gets no CPU for 70 ms from then on: no time is lost. */
static void a_late_look_loses_nothing(void **state)
{
	for (uint64_t ns = 30 * MS; ns < 900 * MS; ns += 50 * MS) {
		const struct fake_thread *sleeper = begin(1);

		fake_act(&world.threads[1], DOING_SLEEP, 20 * LATER * MS);
		world.hold_up_ns = world.now_ns + ns;
		world.stall_length_ns = 70 * MS;
		world.options.duration_ns = LATER * MS;
		fake_run_well(&world);
		assert_in_range(sleeper->ns[SPROF_STATE_SLEEP], 998 * MS, 1001 * MS);
		assert_in_range(world.threads[0].ns[SPROF_STATE_USER], 990 * MS, 1001 * MS);
		assert_in_range(world.quality.ticks + world.quality.ticks_missed, 99, 102);
	}
}

/* The looks at a runner whose ring has no more room, as locked memory allows no more; nothing is lost. */
static uint64_t looks_with_room_for(size_t records)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->acts[0].ns = 10 * LATER * MS;
	world.most_records = records;
	world.options.duration_ns = 2 * LATER * MS;
	fake_run_well(&world);
	assert_in_range(runner->samples, 1950, 2050);
	assert_int_equal(world.quality.samples_lost, 0);
	return runner->looks;
}

static void a_small_ring_is_read_more_often(void **state)
{
	assert_in_range(looks_with_room_for(12), 400, 600);
}

static void the_smallest_ring_is_read_in_each_tick(void **state)
{
	assert_in_range(looks_with_room_for(2), 1900, 2100);
}

/* Of one that works and sleeps by turns, after a time of work only. */
static void who_begins_to_sleep_has_its_time(void **state)
{
	uint64_t asleep_ns = 0, awake_ns = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fake_thread *thread;

		fake_init(&world, seed);
		world.options.by_kernel = true;
		thread = fake_add(&world, 0, 0);
		fake_act(thread, DOING_USER, 600 * MS);
		for (int i = 0; i < 60; i++) {
			fake_act(thread, DOING_SLEEP, 5 * MS);
			fake_act(thread, DOING_USER, 2 * MS);
		}
		world.options.duration_ns = 1000 * MS;
		fake_run_well(&world);
		asleep_ns += thread->ns[SPROF_STATE_SLEEP];
		awake_ns += thread->ns[SPROF_STATE_USER];
	}
	assert_in_range(asleep_ns, 20 * 280 * MS, 20 * 287 * MS);
	assert_in_range(awake_ns, 20 * 709 * MS, 20 * 716 * MS);
}

/* Between two looks, one sleep may end and another begin. The sampler can't see when, so each gets half of that time. */
static void sleeps_in_turns_have_their_shares(void **state)
{
	uint64_t asleep_ns = 0, on_disk_ns = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fake_thread *thread;

		fake_init(&world, seed);
		world.options.by_kernel = true;
		world.options.rate_hz = 100;
		thread = fake_add(&world, 0, 0);
		for (int i = 0; i < 10; i++) {
			fake_act(thread, DOING_SLEEP, 307 * MS);
			fake_act(thread, DOING_USER, MS / 20);
			fake_act(thread, DOING_DISK, 131 * MS);
			fake_act(thread, DOING_USER, MS / 20);
		}
		world.options.duration_ns = (uint64_t)10 * 438 * MS;
		fake_run_well(&world);
		asleep_ns += thread->ns[SPROF_STATE_SLEEP];
		on_disk_ns += thread->ns[SPROF_STATE_DISK];
	}
	assert_in_range(1000 * asleep_ns / (asleep_ns + on_disk_ns), 698, 704);
}

/* Between looks that found it running, too: their time goes to the next one that is seen. */
static void short_sleeps_have_their_time(void **state)
{
	static const uint64_t lengths_ms[] = {3, 15, 30, 60, 300};

	for (size_t i = 0; i < 5; i++) {
		const uint64_t nap_ns = lengths_ms[i] * MS, expected_ns = 40 * nap_ns;

		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct fake_thread *thread = begin(seed);

			world.jiffy_ns = 4 * MS;
			for (unsigned k = 0; k < 40; k++) {
				fake_act(thread, DOING_USER, 250 * MS);
				fake_act(thread, DOING_SLEEP, nap_ns);
			}
			world.options.duration_ns = 40 * (250 * MS + nap_ns);
			fake_run_well(&world);
			assert_in_range(thread->ns[SPROF_STATE_USER], 40 * 243 * MS, 40 * 250 * MS);
			/* The last ones may have no look. */
			assert_in_range(thread->ns[SPROF_STATE_SLEEP],
				expected_ns - expected_ns / 4 - 20 * MS, expected_ns + 20 * MS);
		}
	}
}

/* Works that long now and then. A burst without a sample has its time at the next one. */
static void rare_work_has_its_time(void **state)
{
	static const uint64_t lengths_ms[] = {10, 20, 45, 200};

	for (size_t i = 0; i < 4; i++) {
		const uint64_t burst_ns = lengths_ms[i] * MS;

		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct fake_thread *thread = begin(seed);

			for (unsigned k = 0; k < 20; k++) {
				fake_act(thread, DOING_SLEEP, 303 * MS);
				fake_act(thread, DOING_USER, burst_ns);
			}
			fake_act(thread, DOING_SLEEP, 20 * LATER * MS);
			world.options.duration_ns = 20 * (303 * MS + burst_ns) + 300 * MS;
			fake_run_well(&world);
			assert_in_range(thread->ns[SPROF_STATE_USER], 17 * burst_ns, 20 * burst_ns);
			assert_in_range(thread->ns[SPROF_STATE_SLEEP], 20 * 303 * MS,
				20 * 303 * MS + 310 * MS);
		}
	}
}

static void a_birth_ends_the_rest(void **state)
{
	struct fake_thread *born;

	fake_add_runner(&world)->acts[0].ns = 10 * LATER * MS;
	for (int i = 0; i < 40; i++) {
		born = fake_add(&world, 0, (uint64_t)(500 + i * 20) * MS);
		fake_act(born, DOING_READY, MS / 100);
		fake_act(born, DOING_USER, 3 * MS);
		fake_act(born, DOING_END, 0);
	}
	world.options.duration_ns = 2 * LATER * MS;
	fake_run_well(&world);
	for (int i = 1; i <= 40; i++)
		assert_in_range(world.threads[i].samples, 1, 5);
}

/* Also where a tick comes before the next record, and after the last one of the tick before. */
static void a_holder_that_runs_is_where_its_last_record_is(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fake_thread *waiter = begin(seed);

		waiter->futex = FAKE_FUTEX;
		fake_act(waiter, DOING_SLEEP, 20 * LATER * MS);
		fake_set_owner(&world, &world.threads[0]);
		world.options.duration_ns = 2 * LATER * MS;
		fake_run_well(&world);
		assert_int_equal(waiter->holders, waiter->samples);
		assert_int_equal(waiter->placeless, 0);
	}
}

/* The share of a waiter's samples in which the holder is where it was earlier. The holder works and sleeps in turns. */
static double misplaced_share(uint64_t user_ns, uint64_t sleep_ns)
{
	uint64_t samples = 0, misplaced = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fake_thread *waiter = begin(seed), *holder = fake_add(&world, 0, 0);

		waiter->futex = FAKE_FUTEX;
		fake_act(waiter, DOING_SLEEP, 20 * LATER * MS);
		for (uint64_t ns = 0; ns < 2 * LATER * MS; ns += user_ns + sleep_ns) {
			fake_act(holder, DOING_USER, user_ns);
			fake_act(holder, DOING_SLEEP, sleep_ns);
		}
		fake_set_owner(&world, holder);
		world.options.duration_ns = 2 * LATER * MS;
		fake_run_well(&world);
		samples += waiter->samples;
		misplaced += waiter->misplaced;
	}
	return (double)misplaced / (double)samples;
}

/* What was seen before its last sleep tells nothing of where it is now: better no place than a wrong one. */
static void a_holder_is_not_where_it_was_before_a_sleep(void **state)
{
	assert_true(misplaced_share(10 * MS, 10 * MS) < 0.06);
}

/* Its sleep is told late, and it is not there any more. */
static void a_holder_that_woke_is_not_in_its_sleep(void **state)
{
	assert_true(misplaced_share(200 * MS, 600 * MS) < 0.002);
}

/* Does the same ten times for 1995 ms and then executes another program. */
static void check_execs(uint64_t user_ns, uint64_t sleep_ns)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct fake_thread *thread = begin(seed);

		for (int i = 0; i < 10; i++) {
			if (user_ns)
				fake_act(thread, DOING_USER, user_ns);
			if (sleep_ns)
				fake_act(thread, DOING_SLEEP, sleep_ns);
			fake_act(thread, DOING_EXEC, 0);
		}
		world.options.duration_ns = 10 * 1995 * MS;
		fake_run_well(&world);
		assert_in_range(
			thread->ns[SPROF_STATE_USER], user_ns * 10 - user_ns / 10, user_ns * 10);
		assert_in_range(thread->ns[SPROF_STATE_SLEEP], sleep_ns * 10 - sleep_ns / 10,
			sleep_ns * 10 + MS);
		/* Each program has its own; of its work, what no record shows is the next one's. */
		for (int i = 1; i < 10; i++)
			assert_in_range(thread->program_ns[i], (user_ns ? 1885 : 1993) * MS,
				(user_ns ? 2105 : 1997) * MS);
	}
}

static void an_exec_loses_no_time(void **state)
{
	check_execs(1995 * MS, 0);
	check_execs(0, 1995 * MS);
	check_execs(800 * MS, 1195 * MS);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("spared")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(where_timers_cover_all_looks_are_spared),
		SCENARIO(at_low_rates_looks_are_spared_too),
		SCENARIO(beside_a_sleeper_no_look_is_spared),
		SCENARIO(a_late_look_loses_nothing),
		SCENARIO(a_small_ring_is_read_more_often),
		SCENARIO(the_smallest_ring_is_read_in_each_tick),
		SCENARIO(who_begins_to_sleep_has_its_time),
		SCENARIO(sleeps_in_turns_have_their_shares),
		SCENARIO(short_sleeps_have_their_time),
		SCENARIO(rare_work_has_its_time),
		SCENARIO(a_birth_ends_the_rest),
		SCENARIO(an_exec_loses_no_time),
		SCENARIO(a_holder_that_runs_is_where_its_last_record_is),
		SCENARIO(a_holder_is_not_where_it_was_before_a_sleep),
		SCENARIO(a_holder_that_woke_is_not_in_its_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
