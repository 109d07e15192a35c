/*
 * The order of stops. The threads of one CPU are stopped together, from there, and one CPU comes after
 * the other. Knows where each thread ran last, and where we are; refuses to know how a stop is made.
 */
#include "sampler/stop-order.h"

#include <stdlib.h>

#include "sampler/sampler-internal.h"

static void find_busy(const struct slots *slots, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	for (size_t i = 0; i < slots->count; i++) {
		int cpu = slots->items[i].before.cpu;

		if (cpu >= 0 && cpu < CPU_SETSIZE)
			CPU_SET((size_t)cpu, ret);
	}
}

static bool is_pinned(const struct slot *slot)
{
	const struct sampling *sampling = slot->thread->sampling;

	return sampling->cpu.pinned;
}

/*
 * CPUs where we would get no time: a real-time thread runs there, of the target or of another program. It may
 * be elsewhere at the next tick, unless it is pinned.
 */
static void find_taken(
	const struct slots *slots, const struct sprof_hop *hop, struct stop_order *order)
{
	order->taken = order->taken_for_good = hop->avoided;
	for (size_t i = 0; i < slots->count; i++) {
		const struct slot *slot = &slots->items[i];
		const struct sampling *sampling = slot->thread->sampling;
		int cpu = slot->before.cpu;

		if (!sampling->cpu.starves || cpu < 0 || cpu >= CPU_SETSIZE)
			continue;
		CPU_SET((size_t)cpu, &order->taken);
		if (is_pinned(slot))
			CPU_SET((size_t)cpu, &order->taken_for_good);
	}
}

static bool are_all_pinned(const struct slots *slots)
{
	for (size_t i = 0; i < slots->count; i++) {
		if (!is_pinned(&slots->items[i]))
			return false;
	}
	return true;
}

static int by_distance(const void *one, const void *other)
{
	const struct slot *a = one, *b = other;

	return (a->distance > b->distance) - (a->distance < b->distance);
}

/* From the CPU we are on, upwards and round. */
static void sort(const struct slots *slots)
{
	int here = sched_getcpu();

	for (size_t i = 0; i < slots->count; i++) {
		struct slot *slot = &slots->items[i];

		slot->distance = (unsigned)(slot->before.cpu - here) % CPU_SETSIZE;
	}
	qsort(slots->items, slots->count, sizeof(*slots->items), by_distance);
}

/* For a CPU that nobody has, if there is one and that helps; in any case not for one that is taken. */
static void leave(const struct stop_order *order, const struct slots *slots)
{
	cpu_set_t unwanted;

	if (CPU_COUNT(&order->taken))
		sprof_hop_keep_off(order->hop, &order->taken);
	if (order->crowded || are_all_pinned(slots))
		return;
	CPU_OR(&unwanted, &order->busy, &order->taken);
	sprof_hop_off(order->hop, &unwanted);
}

void sprof_stop_order_begin(
	struct stop_order *order, const struct slots *slots, size_t running, struct sprof_hop *hop)
{
	sprof_hop_note_wait(hop);
	order->hop = hop;
	order->crowded = sprof_hop_is_crowded(hop, running);
	find_busy(slots, &order->busy);
	find_taken(slots, hop, order);
	leave(order, slots);
	sort(slots);
	order->end = slots->items + slots->count;
	order->group = (struct slot_group){slots->items, slots->items};
}

static bool has(const cpu_set_t *set, int cpu)
{
	return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, set);
}

/*
 * A single thread is stopped also from a CPU that nobody else wants: unless it is pinned, for then the
 * kernel can't wake it on the CPU that we left for it.
 */
static bool is_near(const struct stop_order *order)
{
	const struct slot_group *group = &order->group;

	return !order->crowded && group->last - group->first == 1 &&
		group->first->phase == SLOT_PLANNED &&
		(!is_pinned(group->first) || has(&order->taken, group->first->before.cpu)) &&
		!has(&order->busy, sched_getcpu());
}

/*
 * Between two ticks a real-time thread that may run anywhere may come to the CPU that we are on: then the
 * kernel must be able to wake us on another one.
 */
static void settle(const struct stop_order *order)
{
	if (CPU_COUNT(&order->taken))
		sprof_hop_keep_off(order->hop, &order->taken_for_good);
}

bool sprof_stop_order_next(struct stop_order *order)
{
	struct slot_group *group = &order->group;
	int cpu;

	group->first = group->last;
	if (group->first == order->end) {
		settle(order);
		return false;
	}
	while (group->last < order->end && group->last->before.cpu == group->first->before.cpu)
		group->last++;
	cpu = group->first->before.cpu;
	group->contended = order->crowded || has(&order->hop->avoided, cpu);
	group->first->near = is_near(order);
	if (!group->first->near && !has(&order->taken, cpu))
		sprof_hop_to(order->hop, cpu);
	return true;
}
