/*
 * The order of stops. The threads of one CPU are stopped together, from that CPU, one CPU after the
 * other. Does not stop threads.
 */
#include "sampler/stop-order.h"

#include <stdlib.h>

static void find_busy(const struct slots *slots, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	for (size_t i = 0; i < slots->count; i++) {
		int cpu = slots->items[i].ask.cpu.number;

		if (cpu >= 0 && cpu < CPU_SETSIZE)
			CPU_SET((size_t)cpu, ret);
	}
}

static bool starves(const struct sprof_hop *hop, const struct known_cpu *cpu)
{
	return sprof_priority_is_starved_by(&hop->own, cpu->policy, cpu->priority);
}

/*
 * CPUs with a real-time thread, of the target or another program: we would get no time there. It
 * may be elsewhere at the next tick, unless it is pinned.
 */
static void find_taken(
	const struct slots *slots, const struct sprof_hop *hop, struct stop_order *order)
{
	order->taken = order->taken_for_good = hop->avoided;
	for (size_t i = 0; i < slots->count; i++) {
		const struct slot *slot = &slots->items[i];
		int cpu = slot->ask.cpu.number;

		if (!starves(hop, &slot->ask.cpu) || cpu < 0 || cpu >= CPU_SETSIZE)
			continue;
		CPU_SET((size_t)cpu, &order->taken);
		if (slot->ask.cpu.pinned)
			CPU_SET((size_t)cpu, &order->taken_for_good);
	}
}

static bool are_all_pinned(const struct slots *slots)
{
	for (size_t i = 0; i < slots->count; i++) {
		if (!slots->items[i].ask.cpu.pinned)
			return false;
	}
	return true;
}

static int by_distance(const void *one, const void *other)
{
	const struct slot *a = one, *b = other;

	return (a->distance > b->distance) - (a->distance < b->distance);
}

/* By CPU, from ours upwards and around. */
static void sort(const struct slots *slots)
{
	int here = sched_getcpu();

	for (size_t i = 0; i < slots->count; i++) {
		struct slot *slot = &slots->items[i];

		slot->distance = (unsigned)(slot->ask.cpu.number - here) % CPU_SETSIZE;
	}
	qsort(slots->items, slots->count, sizeof(*slots->items), by_distance);
}

/* Moves to a free CPU, if there is one and that helps; always leaves a taken CPU. */
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
	struct stop_order *order, const struct slots *slots, bool crowded, struct sprof_hop *hop)
{
	sprof_hop_note_queued(hop);
	order->hop = hop;
	order->crowded = crowded;
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
 * A single thread is stopped also from a CPU that nobody else wants, unless it is pinned: then the
 * kernel can't wake it on the CPU that we left.
 */
static bool is_near(const struct stop_order *order)
{
	const struct slot_group *group = &order->group;

	return !order->crowded && group->last - group->first == 1 &&
		group->first->phase == SLOT_PLANNED &&
		(!group->first->ask.cpu.pinned ||
			has(&order->taken, group->first->ask.cpu.number)) &&
		!has(&order->busy, sched_getcpu());
}

/*
 * Between two ticks, an unpinned real-time thread may come to our CPU. Then the kernel must be able
 * to wake us on another one.
 */
static void settle(const struct stop_order *order)
{
	if (CPU_COUNT(&order->taken))
		sprof_hop_keep_off(order->hop, &order->taken_for_good);
}

/* Settles from where the group is stopped, and moves there. */
static void approach(struct stop_order *order)
{
	struct slot_group *group = &order->group;
	const int cpu = group->first->ask.cpu.number;
	const bool is_taken = has(&order->taken, cpu);

	group->contended = order->crowded || has(&order->hop->avoided, cpu);
	group->first->near = is_near(order);
	group->first->may_visit = group->first->near && !is_taken;
	if (!group->first->near && !is_taken)
		sprof_hop_to(order->hop, cpu);
}

bool sprof_stop_order_next(struct stop_order *order)
{
	struct slot_group *group = &order->group;

	group->first = group->last;
	if (group->first == order->end) {
		settle(order);
		return false;
	}
	while (group->last < order->end &&
		group->last->ask.cpu.number == group->first->ask.cpu.number)
		group->last++;
	approach(order);
	return true;
}
