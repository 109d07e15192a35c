/*
 * sampler/stop-order: the order of stops. The CPUs are made up, except for the test's own, which
 * comes first. With an unusable hop, it stays where the kernel put it.
 */
#include "sampler/stop/slots.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum {
	THREADS = 6,
	NO_CPU = SPROF_CPU_SET_SIZE - 1, /* no machine that runs the test has it */
};

static struct sprof_hop still = {.usable = false, .schedstat_file = -1};

static struct scene {
	struct slot items[THREADS];
	struct slots slots;
} scene;

static void set_up(const int *cpus, size_t count)
{
	scene = (struct scene){.slots = {.items = scene.items, .count = count}};
	for (size_t i = 0; i < count; i++) {
		scene.items[i].ask.cpu.number = cpus[i];
	}
}

static void the_threads_of_a_cpu_come_together(void **state)
{
	static const int cpus[THREADS] = {7, 3, 900, 3, 7, 3};
	size_t groups = 0, threads = 0;
	struct stop_order order;
	struct sprof_cpu_set seen = {0};

	set_up(cpus, THREADS);
	sprof_stop_order_begin(&order, &scene.slots, false, &still);
	while (sprof_stop_order_next(&order)) {
		size_t cpu = (size_t)order.group.first->ask.cpu.number;

		assert_false(sprof_cpu_set_has(&seen, cpu));
		sprof_cpu_set_add(&seen, cpu);
		for (struct slot *slot = order.group.first; slot < order.group.last; slot++)
			assert_int_equal(slot->ask.cpu.number, cpu);
		threads += (size_t)(order.group.last - order.group.first);
		groups++;
	}
	assert_int_equal(groups, 3);
	assert_int_equal(threads, THREADS);
}

static void cpus_come_upwards_and_round(void **state)
{
	static const int cpus[THREADS] = {40, 0, 30, 10, 1000, 20};
	unsigned descents = 0;
	struct stop_order order;
	int first = -1, last = -1;

	set_up(cpus, THREADS);
	sprof_stop_order_begin(&order, &scene.slots, false, &still);
	while (sprof_stop_order_next(&order)) {
		int cpu = order.group.first->ask.cpu.number;

		first = first < 0 ? cpu : first;
		descents += cpu < last;
		last = cpu;
	}
	assert_true(descents == (first > 0));
}

/* Whether a thread alone on another CPU is awaited from our CPU. */
static bool is_near(bool is_pinned, enum slot_phase phase)
{
	static const int cpu = NO_CPU;
	struct stop_order order;

	set_up(&cpu, 1);
	scene.items[0].ask.cpu.pinned = is_pinned;
	scene.items[0].phase = phase;
	sprof_stop_order_begin(&order, &scene.slots, false, &still);
	assert_true(sprof_stop_order_next(&order));
	return order.group.first->near;
}

static void one_alone_is_stopped_from_here(void **state)
{
	assert_true(is_near(false, SLOT_PLANNED));
	assert_false(is_near(true, SLOT_PLANNED));
	assert_false(is_near(false, SLOT_QUEUED));
}

static void two_are_stopped_from_their_cpu(void **state)
{
	static const int cpus[] = {NO_CPU, NO_CPU};
	struct stop_order order;

	set_up(cpus, 2);
	sprof_stop_order_begin(&order, &scene.slots, false, &still);
	assert_true(sprof_stop_order_next(&order));
	assert_false(order.group.first->near);
	assert_false(sprof_stop_order_next(&order));
}

/* A real-time thread is stopped from afar, even if pinned: we would get no time on its CPU. */
static void a_real_time_thread_is_stopped_from_afar(void **state)
{
	static const int cpu = NO_CPU;
	struct stop_order order;

	set_up(&cpu, 1);
	scene.items[0].ask.cpu.pinned = true;
	scene.items[0].ask.cpu.rank = sprof_priority_rank(SCHED_FIFO, 1);
	sprof_stop_order_begin(&order, &scene.slots, false, &still);
	assert_true(sprof_cpu_set_has(&order.taken, NO_CPU));
	assert_true(sprof_cpu_set_has(&order.taken_for_good, NO_CPU));
	assert_true(sprof_stop_order_next(&order));
	assert_true(order.group.first->near);
	assert_false(order.group.contended);
}

/* It is elsewhere at the next tick, and we may have to go to its old CPU. */
static void one_that_moves_takes_a_cpu_for_the_tick(void **state)
{
	static const int cpu = NO_CPU;
	struct stop_order order;

	set_up(&cpu, 1);
	scene.items[0].ask.cpu.rank = sprof_priority_rank(SCHED_FIFO, 1);
	sprof_stop_order_begin(&order, &scene.slots, false, &still);
	assert_true(sprof_cpu_set_has(&order.taken, NO_CPU));
	assert_false(sprof_cpu_set_has(&order.taken_for_good, NO_CPU));
}

/* The first allowed one. */
static int some_cpu(const struct sprof_cpu_set *allowed)
{
	int cpu = 0;

	while (!sprof_cpu_set_has(allowed, cpu))
		cpu++;
	return cpu;
}

/* The number of CPUs that sprof may use to stop a thread on a CPU that kept it waiting before. */
static void a_cpu_that_kept_us_waiting_is_avoided(void **state)
{
	struct stop_order order;
	struct sprof_hop hop;
	struct sprof_cpu_set now;
	int cpu;

	sprof_hop_init(&hop);
	cpu = some_cpu(&hop.allowed);
	sprof_cpu_set_add(&hop.avoided, cpu);
	hop.avoided_until_ns = UINT64_MAX;
	set_up(&cpu, 1);
	scene.items[0].ask.cpu.pinned = true;
	sprof_stop_order_begin(&order, &scene.slots, false, &hop);
	assert_true(sprof_stop_order_next(&order));
	assert_true(order.group.contended);
	assert_true(sprof_cpu_set_of(0, &now));
	assert_int_equal(sprof_cpu_set_has(&now, cpu), sprof_cpu_set_count(&hop.allowed) == 1);
	hop.avoided_until_ns = 0;
	sprof_hop_note_queued(&hop);
	assert_int_equal(sprof_cpu_set_count(&hop.avoided), 0);
	sprof_hop_finish(&hop);
}

/* Whether our CPU is avoided after a wait of waited_ms. */
static bool is_avoided_after(unsigned waited_ms)
{
	struct sprof_hop hop = {.usable = false};
	char text[64];
	int length = snprintf(text, sizeof(text), "5 %u000000 7\n", 100 + waited_ms);

	hop.schedstat_file = memfd_create("schedstat", MFD_CLOEXEC);
	assert_true(hop.schedstat_file >= 0);
	assert_int_equal(write(hop.schedstat_file, text, (size_t)length), length);
	hop.queued_ns = 100000000;
	sprof_hop_note_queued(&hop);
	close(hop.schedstat_file);
	return sprof_cpu_set_count(&hop.avoided);
}

static void only_a_long_wait_counts(void **state)
{
	assert_false(is_avoided_after(0));
	assert_false(is_avoided_after(299));
	assert_true(is_avoided_after(301));
}

/* The first of `threads` target threads, each on its own CPU; on a machine of two CPUs. */
static bool is_contended(uint64_t runnable, size_t threads)
{
	static const int cpus[] = {NO_CPU, NO_CPU - 1, NO_CPU - 2};
	struct sprof_hop hop = {.usable = false, .online = 2, .schedstat_file = -1};
	struct stop_order order;

	set_up(cpus, threads);
	sprof_stop_order_begin(
		&order, &scene.slots, sprof_hop_is_crowded(&hop, runnable, threads), &hop);
	assert_true(sprof_stop_order_next(&order));
	assert_true(order.group.first->near == !order.group.contended);
	return order.group.contended;
}

static void other_programs_contend(void **state)
{
	/* One thread and sprof only; one task more; or threads of the target only. */
	assert_false(is_contended(2, 1));
	assert_true(is_contended(3, 1));
	assert_false(is_contended(3, 2));
	assert_true(is_contended(4, 2));
	assert_false(is_contended(4, 3));
}

TEST_MAIN("stop-order")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_threads_of_a_cpu_come_together),
		cmocka_unit_test(cpus_come_upwards_and_round),
		cmocka_unit_test(one_alone_is_stopped_from_here),
		cmocka_unit_test(two_are_stopped_from_their_cpu),
		cmocka_unit_test(a_real_time_thread_is_stopped_from_afar),
		cmocka_unit_test(one_that_moves_takes_a_cpu_for_the_tick),
		cmocka_unit_test(a_cpu_that_kept_us_waiting_is_avoided),
		cmocka_unit_test(only_a_long_wait_counts),
		cmocka_unit_test(other_programs_contend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
