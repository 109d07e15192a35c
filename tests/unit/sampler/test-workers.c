/*
 * The sampler in a made-up world with workers of the kernel, such as io_uring's: no one reports their
 * births, and a stop would break off what they do.
 */
#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/sampler/fake-world.h"

#define MS ((uint64_t)SPROF_NS_PER_MS)
#define US ((uint64_t)SPROF_NS_PER_US)

static struct fake_world world;

static int set_up(void **state)
{
	fake_init(&world, 1);
	return 0;
}

static void expect_all_of_its_time(const struct fake_thread *worker)
{
	assert_int_equal(worker->charged[SPROF_TIME_USER], 0);
	assert_int_equal(worker->charged[SPROF_TIME_SYS], worker->cpu_ns);
	assert_int_equal(worker->ns[SPROF_STATE_SYS], worker->cpu_ns);
	assert_int_equal(worker->states[SPROF_STATE_USER], 0);
}

/* A thread of its process runs, so that each tick looks for new workers. */
static void what_a_worker_uses_is_system_time(void **state)
{
	struct fake_thread *worker = fake_add_worker(&world, 10 * MS);

	fake_add_runner(&world);
	for (int i = 0; i < 5; i++) {
		fake_act(worker, DOING_CALL, 4 * MS);
		fake_act(worker, DOING_SLEEP, 3 * MS);
	}
	fake_act(worker, DOING_CALL, 300 * US);
	fake_act(worker, DOING_END, 0);
	fake_run_well(&world);
	assert_in_range(worker->states[SPROF_STATE_SYS], 15, 25);
	assert_in_range(worker->states[SPROF_STATE_SLEEP], 10, 20);
	expect_all_of_its_time(worker);
}

/* A tick finds it, and none sees it work. */
static void a_short_worker_has_a_sample(void **state)
{
	struct fake_thread *worker = fake_add_worker(&world, 10 * MS);

	fake_add_runner(&world);
	fake_act(worker, DOING_SLEEP, 10 * MS);
	fake_act(worker, DOING_CALL, 20 * US);
	fake_act(worker, DOING_END, 0);
	fake_run_well(&world);
	assert_in_range(worker->states[SPROF_STATE_SYS], 1, 2);
	expect_all_of_its_time(worker);
}

/* Ticks find it gone before the kernel says so: what it has used is booked once. */
static void the_end_of_a_worker_is_one_sample(void **state)
{
	struct fake_thread *worker = fake_add_worker(&world, 10 * MS);

	fake_add_runner(&world);
	worker->unreaped_ns = 20 * MS;
	fake_act(worker, DOING_CALL, 5 * MS);
	fake_act(worker, DOING_END, 0);
	fake_run_well(&world);
	assert_true(worker->last_sample_ns >= worker->end_ns);
	assert_true(worker->one_before_ns < worker->end_ns);
	expect_all_of_its_time(worker);
}

#define SCENARIO(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN("workers")
{
	const struct CMUnitTest tests[] = {
		SCENARIO(what_a_worker_uses_is_system_time),
		SCENARIO(a_short_worker_has_a_sample),
		SCENARIO(the_end_of_a_worker_is_one_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
