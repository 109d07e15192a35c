/*
 * The sampler in a made-up world with timers in the kernel: how much of the stack a timer copies.
 */
#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define MS ((uint64_t)SPROF_NS_PER_MS)

static struct fake_world world;

static int set_up(void **state)
{
	fake_init(&world, 1);
	world.options.by_kernel = true;
	return 0;
}

static void a_deep_stack_gets_large_copies(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->deep = 40 * 1024;
	world.options.duration_ns = 500 * MS;
	fake_run_well(&world);
	assert_int_equal(runner->timers, 2);
	assert_in_range(runner->last_copy, 40 * 1024, 60 * 1024);
	assert_in_range(runner->samples, 470, 520);
	assert_true(world.quality.samples_by_kernel > 470);
	/* Before its timer. */
	assert_in_range(world.quality.samples_stopped, 2, 5);
	assert_int_equal(world.quality.stacks[SPROF_END_STACK_COPY], 0);
}

/* The few stops before the timer have seen it in less deep calls. */
static void a_stack_that_gets_deeper_is_whole(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->deep = 20 * 1024;
	runner->deeper = 26 * 1024;
	world.options.duration_ns = 500 * MS;
	fake_run_well(&world);
	assert_in_range(runner->last_copy, 26 * 1024, 36 * 1024);
	assert_in_range(runner->samples, 470, 520);
	assert_int_equal(world.quality.stacks[SPROF_END_STACK_COPY], 0);
}

/* A busy machine: the first stop, which shows how deep it is, comes later than the next tick. */
static void a_deep_stack_is_whole_though_its_stop_is_late(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->deep = 20 * 1024;
	runner->latency_ns = 5 * MS;
	world.options.duration_ns = 500 * MS;
	fake_run_well(&world);
	assert_in_range(runner->last_copy, 20 * 1024, 30 * 1024);
	assert_true(world.quality.samples_by_kernel > 400);
	assert_int_equal(world.quality.stacks[SPROF_END_STACK_COPY], 0);
}

static void a_small_stack_gets_smaller_copies(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->deep = 1000;
	runner->acts[0].ns = 10000 * MS;
	world.options.duration_ns = 500 * MS;
	fake_run_well(&world);
	assert_int_equal(runner->timers, 2);
	assert_int_equal(runner->last_copy, 5 * 256);
	assert_in_range(runner->samples, 490, 520);
	assert_int_equal(world.quality.samples_lost, 0);
}

static void a_stack_that_is_too_deep_takes_stops(void **state)
{
	struct fake_thread *runner = fake_add_runner(&world);

	runner->deep = 100 * 1024;
	world.options.duration_ns = 500 * MS;
	fake_run_well(&world);
	assert_int_equal(world.quality.samples_by_kernel, 0);
	assert_in_range(runner->samples, 470, 520);
	assert_int_equal(world.quality.stacks[SPROF_END_STACK_COPY], 0);
	assert_null(runner->timer);
}

/*
 * Rings are the kernel's memory. Those of many threads hold less, and are read more often: nothing is lost, but
 * for what comes while a timer is replaced.
 */
static void many_deep_stacks_share_the_memory(void **state)
{
	const uint64_t megabyte = 1024 * 1024;

	for (int i = 0; i < FAKE_THREADS; i++) {
		struct fake_thread *runner = fake_add_runner(&world);

		runner->deep = 60 * 1024;
		runner->acts[0].ns = 10000 * MS;
	}
	world.cost_ns = 1;
	world.options.duration_ns = 300 * MS;
	fake_run_well(&world);
	assert_int_equal(world.most_timers, FAKE_THREADS);
	assert_in_range(world.most_ring_bytes, 1, 160 * megabyte);
	assert_in_range(world.quality.samples_lost, 0, FAKE_THREADS);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("copies")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(a_deep_stack_gets_large_copies),
		SCENARIO(a_stack_that_gets_deeper_is_whole),
		SCENARIO(a_deep_stack_is_whole_though_its_stop_is_late),
		SCENARIO(a_small_stack_gets_smaller_copies),
		SCENARIO(a_stack_that_is_too_deep_takes_stops),
		SCENARIO(many_deep_stacks_share_the_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
