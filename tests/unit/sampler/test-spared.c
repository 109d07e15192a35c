/*
 * The sampler in a made-up world with timers in the kernel: ticks that need no look, and what the next look stands
 * for.
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

/* Nobody is looked at each ms, and no sample is missing: the sleeper's are credited. */
static void where_all_is_settled_looks_are_spared(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);
	const struct fake_thread *sleeper = fake_add_sleeper(&world, 0);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.duration_ns = 2 * LATER * MS;
	fake_run_well(&world);
	assert_in_range(sleeper->looks, 180, 300);
	assert_int_equal(sleeper->samples, world.quality.ticks);
	assert_in_range(runner->samples, 1950, 2050);
	assert_int_equal(world.quality.ticks_missed, 0);
	assert_in_range(world.quality.ticks, 1950, 2050);
	assert_int_equal(world.quality.samples_lost, 0);
}

/* At 100 Hz up to eight in a row, but not for longer than a tenth of a second. */
static void at_low_rates_looks_are_spared_too(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);
	const struct fake_thread *sleeper = fake_add_sleeper(&world, 0);

	runner->acts[0].ns = 10 * LATER * MS;
	world.options.rate_hz = 100;
	world.options.duration_ns = 5 * LATER * MS;
	fake_run_well(&world);
	assert_in_range(sleeper->looks, 100, 180);
	assert_int_equal(sleeper->samples, world.quality.ticks);
	assert_in_range(runner->samples, 490, 510);
	assert_int_equal(world.quality.ticks_missed, 0);
	assert_int_equal(world.quality.samples_lost, 0);
}

/* Of a sampler that gets no CPU for 70 ms from then on: ticks are missed, or samples stand for them, never both. */
static void hold_up_at(uint64_t ns)
{
	const struct fake_thread *sleeper = begin(1);

	fake_act(&world.threads[1], DOING_SLEEP, 20 * LATER * MS);
	world.hold_up_ns = world.now_ns + ns;
	world.stall_length_ns = 70 * MS;
	world.options.duration_ns = LATER * MS;
	fake_run_well(&world);
	assert_int_equal(sleeper->samples + world.quality.samples_lost, world.quality.ticks);
	assert_in_range(world.quality.ticks + world.quality.ticks_missed, 99, 102);
}

static void a_late_look_stands_for_what_passed(void **state)
{
	hold_up_at(30 * MS);
	assert_in_range(world.quality.ticks_missed, 6, 7);
	for (uint64_t ns = 150 * MS; ns < 900 * MS; ns += 50 * MS) {
		hold_up_at(ns);
		assert_int_equal(world.quality.ticks_missed, 0);
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

/* The first look that finds it asleep stands for the ticks before. */
static void who_begins_to_sleep_is_looked_at_again(void **state)
{
	uint64_t asleep = 0;

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
		asleep += thread->states[SPROF_STATE_SLEEP];
	}
	assert_in_range(asleep, 20 * 260, 20 * 310);
}

/* Of one that works that long, now and then, with sleeps between that are long enough for ticks without a look. */
static uint64_t user_samples_of_bursts(uint64_t seed, uint64_t burst_ns, unsigned bursts)
{
	struct fake_thread *thread = begin(seed);

	for (unsigned i = 0; i < bursts; i++) {
		fake_act(thread, DOING_SLEEP, 303 * MS);
		fake_act(thread, DOING_USER, burst_ns);
	}
	fake_act(thread, DOING_SLEEP, 20 * LATER * MS);
	world.options.duration_ns = bursts * (303 * MS + burst_ns) + 300 * MS;
	fake_run_well(&world);
	return thread->states[SPROF_STATE_USER];
}

/* With records: works for 250 ms, sleeps that long. */
static void run_with_naps(uint64_t seed, uint64_t nap_ns, unsigned naps)
{
	struct fake_thread *thread = begin(seed);

	world.jiffy_ns = 4 * MS;
	for (unsigned i = 0; i < naps; i++) {
		fake_act(thread, DOING_USER, 250 * MS);
		fake_act(thread, DOING_SLEEP, nap_ns);
	}
	world.options.duration_ns = naps * (250 * MS + nap_ns);
	fake_run_well(&world);
}

/* Where one sleep follows another, nobody sees when: the looks are near enough. Nobody else runs. */
static void sleeps_in_turns_have_their_shares(void **state)
{
	uint64_t asleep = 0, on_disk = 0;

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
		asleep += thread->states[SPROF_STATE_SLEEP];
		on_disk += thread->states[SPROF_STATE_DISK];
	}
	assert_in_range(1000 * asleep / (asleep + on_disk), 691, 711);
}

/* Those that no look has met are told with the next one that is. */
static void short_sleeps_have_their_samples(void **state)
{
	static const uint64_t lengths_ms[] = {15, 30, 60, 300};

	for (size_t i = 0; i < 4; i++) {
		const uint64_t nap_ns = lengths_ms[i] * MS;
		uint64_t user = 0, asleep = 0;

		for (uint64_t seed = 1; seed <= 20; seed++) {
			run_with_naps(seed, nap_ns, 40);
			user += world.threads[1].states[SPROF_STATE_USER];
			asleep += world.threads[1].states[SPROF_STATE_SLEEP];
		}
		assert_in_range(user, 20 * 40 * 25 * 0.98, 20 * 40 * 25 * 1.02);
		assert_in_range(asleep, 20 * 40 * nap_ns / (10 * MS) * 0.85,
			20 * 40 * nap_ns / (10 * MS) * 1.05);
	}
}

/* No look is made for it, but those that meet it stand for the others. */
static void rare_work_has_its_samples(void **state)
{
	static const uint64_t lengths_ms[] = {10, 20, 45, 200};

	for (size_t i = 0; i < 4; i++) {
		const uint64_t burst_ns = lengths_ms[i] * MS;
		const uint64_t expected = 20 * 20 * burst_ns / (10 * MS);
		uint64_t samples = 0;

		for (uint64_t seed = 1; seed <= 20; seed++)
			samples += user_samples_of_bursts(seed, burst_ns, 20);
		assert_in_range(samples, expected * 0.8, expected * 1.2);
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

/* Of a thread that does the same ten times for 1995 ms and then executes another program. */
static void check_execs(uint64_t user_ns, uint64_t sleep_ns)
{
	uint64_t ticks = 0, samples = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
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
		samples += thread->samples + world.quality.samples_lost;
		ticks += world.quality.ticks;
	}
	assert_in_range(samples, ticks - 70, ticks + 70);
}

/* What the old program did is told by its records, if it has some; the new one's first look stands for the rest. */
static void an_exec_is_no_time_told_twice(void **state)
{
	check_execs(1995 * MS, 0);
	check_execs(0, 1995 * MS);
	check_execs(800 * MS, 1195 * MS);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("spared")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(where_all_is_settled_looks_are_spared),
		SCENARIO(at_low_rates_looks_are_spared_too),
		SCENARIO(a_late_look_stands_for_what_passed),
		SCENARIO(a_small_ring_is_read_more_often),
		SCENARIO(the_smallest_ring_is_read_in_each_tick),
		SCENARIO(who_begins_to_sleep_is_looked_at_again),
		SCENARIO(sleeps_in_turns_have_their_shares),
		SCENARIO(short_sleeps_have_their_samples),
		SCENARIO(rare_work_has_its_samples),
		SCENARIO(a_birth_ends_the_rest),
		SCENARIO(an_exec_is_no_time_told_twice),
		SCENARIO(a_holder_that_runs_is_where_its_last_record_is),
		SCENARIO(a_holder_is_not_where_it_was_before_a_sleep),
		SCENARIO(a_holder_that_woke_is_not_in_its_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
