/*
 * The fake world: its threads and their scripts, and a run of the sampler in it.
 */
#include "tests/unit/sampler/fake-parts.h"

#include "tests/unit/check.h"

#define LATER_NS (1000 * MS) /* after the end of a run */

struct fake_world *fake_current;

void fake_init(struct fake_world *world, uint64_t seed)
{
	fake_current = world;
	*world = (struct fake_world){
		.now_ns = 1000 * MS + seed,
		.random = seed * 0x9e3779b97f4a7c15u + 1,
		.cost_ns = US,
		.options = {.rate_hz = 1000, .duration_ns = 100 * MS},
	};
	fake_kernel_init(world);
	fake_sink_init(world);
	for (size_t i = 0; i < FAKE_PROCESSES; i++)
		world->processes[i] = (struct sprof_process){
			.id = (uint32_t)i, .pid = FAKE_PID + (pid_t)i * 1000};
}

struct fake_thread *fake_add(struct fake_world *world, size_t process, uint64_t birth_ns)
{
	struct fake_thread *thread = &world->threads[world->thread_count];
	uint32_t id = (uint32_t)world->thread_count++;

	assert_true(world->thread_count <= FAKE_THREADS);
	*thread = (struct fake_thread){
		.thread = {.id = id,
			.tid = FAKE_PID + 100000 + (pid_t)id,
			.process = &world->processes[process],
			.born = birth_ns > 0},
		.birth_ns = world->now_ns + birth_ns,
		.latency_ns = 8 * US,
	};
	/* A thread that existed before the run has run. */
	thread->timeslices = birth_ns ? 0 : 5;
	if (!birth_ns)
		fake_bear(world, thread);
	return thread;
}

void fake_act(struct fake_thread *thread, enum doing doing, uint64_t ns)
{
	assert_true(thread->act_count < FAKE_ACTS);
	thread->acts[thread->act_count++] = (struct act){doing, ns};
	/* It was born just now, with nothing to do yet. */
	if (thread->is_born && thread->act_count == 1 && fake_runs(doing))
		thread->timeslices++;
}

struct fake_thread *fake_add_worker(struct fake_world *world, uint64_t birth_ns)
{
	struct fake_thread *thread = fake_add(world, 0, birth_ns);

	thread->thread.is_worker = true;
	return thread;
}

struct fake_thread *fake_add_sleeper(struct fake_world *world, size_t process)
{
	struct fake_thread *thread = fake_add(world, process, 0);

	fake_act(thread, DOING_SLEEP, LATER_NS);
	return thread;
}

struct fake_thread *fake_add_runner(struct fake_world *world)
{
	struct fake_thread *thread = fake_add(world, 0, 0);

	fake_act(thread, DOING_USER, LATER_NS);
	return thread;
}

void fake_set_owner(struct fake_world *world, const struct fake_thread *owner)
{
	world->words[FAKE_WORD] = 2;
	world->words[FAKE_OWNER] = owner ? FAKE_OWN_TID + owner->thread.id : 0;
}

void fake_random_acts(struct fake_world *world, struct fake_thread *thread, uint64_t ns)
{
	static const enum doing choice[] = {DOING_USER, DOING_USER, DOING_CALL, DOING_SLEEP,
		DOING_SLEEP, DOING_SLEEP, DOING_DISK, DOING_FAULT};
	uint64_t sum = 0;

	while (sum < ns && thread->act_count + 4 < FAKE_ACTS) {
		enum doing doing = choice[fake_random(world, sizeof(choice) / sizeof(*choice))];
		uint64_t part = fake_random(world, fake_random(world, 3) ? 300 * US : 6 * MS) + US;

		fake_act(thread, doing, part);
		/* A sleeper that wakes runs, perhaps after waiting for a CPU. */
		if (fake_is_blocked(doing)) {
			if (!fake_random(world, 3))
				fake_act(thread, DOING_READY, fake_random(world, 50 * US) + 1);
			fake_act(thread, DOING_USER, fake_random(world, 40 * US) + US);
		}
		sum += part;
	}
}

void fake_order(struct fake_world *world, uint64_t ns, enum sprof_order order)
{
	assert_true(world->order_count < FAKE_ORDERS);
	world->orders[world->order_count++] = (struct fake_order){world->now_ns + ns, order};
}

void fake_run(struct fake_world *world)
{
	const struct sprof_sampler_parts parts = {
		.sink = &world->sink, .control = &world->control, .periods = &world->period_ends};
	struct sprof_error err = {0};

	/* In the scenarios with orders, one of them ends the delay. */
	world->is_off =
		world->options.starts_off || (world->options.delay_ns && world->order_count);
	fake_mark(world);
	world->end_ns =
		world->signal_ns ? world->signal_ns : world->now_ns + world->options.duration_ns;
	fake_current = world;
	if (!sprof_sampler_run_in(&world->table, &parts, &world->options, &world->quality, &err))
		fake_wrong(world, NULL, "the run failed");
	for (size_t i = 0; i < world->thread_count; i++)
		fake_check_end(world, &world->threads[i]);
}

void fake_run_well(struct fake_world *world)
{
	fake_run(world);
	if (world->wrong[0])
		fail_msg("%s", world->wrong);
}
