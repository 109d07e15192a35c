/*
 * The sampler in a made-up world: threads that sleep or wake between a look and the stop that it leads to
 * have another look in the same tick.
 */
#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)

enum { RUNS = 400 };

static struct fake_world world;
static uint64_t samples, asleep, ticks;

/* Works twice as long as it sleeps. The questions of a look take as long as some of these acts. */
static void run_restless(uint64_t seed, uint64_t cost_ns)
{
	struct fake_thread *thread;

	fake_init(&world, seed);
	world.options.duration_ns = 2000 * US;
	world.cost_ns = cost_ns;
	thread = fake_add(&world, 0, 0);
	while (thread->act_count + 2 < FAKE_ACTS) {
		fake_act(thread, DOING_USER, 1 + fake_random(&world, 80 * US));
		fake_act(thread, DOING_SLEEP, 1 + fake_random(&world, 40 * US));
	}
	fake_run_well(&world);
	samples += thread->samples;
	asleep += thread->states[SPROF_STATE_SLEEP];
	ticks += world.quality.ticks;
}

static void run_all(uint64_t cost_ns)
{
	samples = asleep = ticks = 0;
	for (uint64_t seed = 1; seed <= RUNS; seed++)
		run_restless(seed, cost_ns);
}

static void who_moves_all_the_time_has_its_share(void **state)
{
	run_all(12 * US);
	assert_in_range(samples, ticks - ticks / 100, ticks);
	assert_in_range(asleep, samples * 30 / 100, samples * 38 / 100);
}

/* Ticks come each ms, and each look takes a large part of it: the next tick comes first. */
static void a_long_tick_has_no_further_round(void **state)
{
	run_all(200 * US);
	assert_in_range(samples, 1, ticks - ticks / 10);
}

TEST_MAIN("rounds")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_moves_all_the_time_has_its_share),
		cmocka_unit_test(a_long_tick_has_no_further_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
