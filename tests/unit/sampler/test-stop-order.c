/*
 * sampler/stop-order: whose turn it is. The CPUs are made up, but for the one that the test runs on, which
 * is where the order begins; with a hop that can't be used it stays where the kernel has it.
 */
#include "sampler/stop-order.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sampler/sampler-internal.h"
#include "tests/unit/check.h"

enum {
	THREADS = 6,
	NO_CPU = CPU_SETSIZE - 1, /* which no machine has that the test runs on */
};

static struct sprof_hop still = {.usable = false, .loadavg_fd = -1, .schedstat_fd = -1};

static struct scene {
	struct sampling samplings[THREADS];
	struct sprof_thread threads[THREADS];
	struct slot items[THREADS];
	struct slots slots;
} scene;

static void set_up(const int *cpus, size_t count)
{
	scene = (struct scene){.slots = {.items = scene.items, .count = count}};
	for (size_t i = 0; i < count; i++) {
		scene.threads[i].sampling = &scene.samplings[i];
		scene.items[i].thread = &scene.threads[i];
		scene.items[i].before.cpu = cpus[i];
	}
}

static void the_threads_of_a_cpu_come_together(void **state)
{
	static const int cpus[THREADS] = {7, 3, 900, 3, 7, 3};
	size_t groups = 0, threads = 0;
	struct stop_order order;
	cpu_set_t seen;

	set_up(cpus, THREADS);
	CPU_ZERO(&seen);
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &still);
	while (sprof_stop_order_next(&order)) {
		size_t cpu = (size_t)order.group.first->before.cpu;

		assert_false(CPU_ISSET(cpu, &seen));
		CPU_SET(cpu, &seen);
		for (struct slot *slot = order.group.first; slot < order.group.last; slot++)
			assert_int_equal(slot->before.cpu, cpu);
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
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &still);
	while (sprof_stop_order_next(&order)) {
		int cpu = order.group.first->before.cpu;

		first = first < 0 ? cpu : first;
		descents += cpu < last;
		last = cpu;
	}
	assert_true(descents == (first > 0));
}

/* Whether a thread alone on a CPU that is not ours is awaited from where we are. */
static bool is_near(bool is_pinned, enum slot_phase phase)
{
	static const int cpu = NO_CPU;
	struct stop_order order;

	set_up(&cpu, 1);
	scene.samplings[0].cpu.pinned = is_pinned;
	scene.items[0].phase = phase;
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &still);
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
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &still);
	assert_true(sprof_stop_order_next(&order));
	assert_false(order.group.first->near);
	assert_false(sprof_stop_order_next(&order));
}

/* So is one of a real-time policy, though it be pinned: we would get no time on its CPU. */
static void a_real_time_thread_is_stopped_from_afar(void **state)
{
	static const int cpu = NO_CPU;
	struct stop_order order;

	set_up(&cpu, 1);
	scene.samplings[0].cpu.pinned = scene.samplings[0].cpu.starves = true;
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &still);
	assert_true(CPU_ISSET(NO_CPU, &order.taken));
	assert_true(CPU_ISSET(NO_CPU, &order.taken_for_good));
	assert_true(sprof_stop_order_next(&order));
	assert_true(order.group.first->near);
	assert_false(order.group.contended);
}

/* It is elsewhere at the next tick, and we may have to go where it was. */
static void one_that_moves_takes_a_cpu_for_the_tick(void **state)
{
	static const int cpu = NO_CPU;
	struct stop_order order;

	set_up(&cpu, 1);
	scene.samplings[0].cpu.starves = true;
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &still);
	assert_true(CPU_ISSET(NO_CPU, &order.taken));
	assert_false(CPU_ISSET(NO_CPU, &order.taken_for_good));
}

/* The first one that is allowed. */
static int some_cpu(const cpu_set_t *allowed)
{
	int cpu = 0;

	while (!CPU_ISSET((size_t)cpu, allowed))
		cpu++;
	return cpu;
}

/* How many CPUs sprof may run on when it goes to stop a thread on a CPU that kept it waiting before. */
static void a_cpu_that_kept_us_waiting_is_avoided(void **state)
{
	struct stop_order order;
	struct sprof_hop hop;
	cpu_set_t now;
	int cpu;

	sprof_hop_init(&hop);
	cpu = some_cpu(&hop.allowed);
	CPU_SET((size_t)cpu, &hop.avoided);
	hop.avoided_until_ns = UINT64_MAX;
	set_up(&cpu, 1);
	scene.samplings[0].cpu.pinned = true;
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &hop);
	assert_true(sprof_stop_order_next(&order));
	assert_true(order.group.contended);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(CPU_ISSET((size_t)cpu, &now), CPU_COUNT(&hop.allowed) == 1);
	hop.avoided_until_ns = 0;
	sprof_hop_note_wait(&hop);
	assert_int_equal(CPU_COUNT(&hop.avoided), 0);
	sprof_hop_finish(&hop);
}

/* What the kernel says of a thread that has waited for so long since the last time. */
static bool is_avoided_after(unsigned waited_ms)
{
	struct sprof_hop hop = {.loadavg_fd = -1};
	char text[64];
	int length = snprintf(text, sizeof(text), "5 %u000000 7\n", 100 + waited_ms);

	hop.schedstat_fd = memfd_create("schedstat", MFD_CLOEXEC);
	assert_true(hop.schedstat_fd >= 0);
	assert_int_equal(write(hop.schedstat_fd, text, (size_t)length), length);
	hop.waited_ns = 100000000;
	sprof_hop_note_wait(&hop);
	close(hop.schedstat_fd);
	return CPU_COUNT(&hop.avoided);
}

static void only_a_long_wait_counts(void **state)
{
	assert_false(is_avoided_after(0));
	assert_false(is_avoided_after(299));
	assert_true(is_avoided_after(301));
}

/* A machine of two CPUs with so many tasks that want one. */
static struct sprof_hop machine_with(unsigned runnable)
{
	struct sprof_hop hop = {.usable = false, .online = 2, .schedstat_fd = -1};
	char text[64];
	int length = snprintf(text, sizeof(text), "0.5 0.5 0.5 %u/99 1234\n", runnable);

	hop.loadavg_fd = memfd_create("loadavg", MFD_CLOEXEC);
	assert_true(hop.loadavg_fd >= 0);
	assert_int_equal(write(hop.loadavg_fd, text, (size_t)length), length);
	return hop;
}

/* Of `threads` of the target, each on a CPU of its own, the first. */
static bool is_contended(unsigned runnable, size_t threads)
{
	static const int cpus[] = {NO_CPU, NO_CPU - 1, NO_CPU - 2};
	struct sprof_hop hop = machine_with(runnable);
	struct stop_order order;

	set_up(cpus, threads);
	sprof_stop_order_begin(&order, &scene.slots, scene.slots.count, &hop);
	assert_true(sprof_stop_order_next(&order));
	assert_true(order.group.first->near == !order.group.contended);
	close(hop.loadavg_fd);
	return order.group.contended;
}

static void other_programs_contend(void **state)
{
	/* One thread, sprof, and nobody else; or one more; or threads of the target only. */
	assert_false(is_contended(2, 1));
	assert_true(is_contended(3, 1));
	assert_false(is_contended(3, 2));
	assert_true(is_contended(4, 2));
	assert_false(is_contended(4, 3));
}

int main(void)
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
