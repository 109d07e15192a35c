/*
 * The order of stops. The threads of one CPU are stopped together, from that CPU, one CPU after the
 * other. Does not stop threads.
 */
#include "sampler/stop/order.h"

#include <sched.h>
#include <stdlib.h>

static struct sprof_cpu_set find_busy(const struct slots *slots)
{
	struct sprof_cpu_set busy = {0};

	for (size_t i = 0; i < slots->count; i++)
		sprof_cpu_set_add(&busy, slots->items[i].ask.cpu.number);
	return busy;
}

static bool starves(const struct sprof_hop *hop, const struct known_cpu *cpu)
{
	return sprof_priority_is_starved_by(&hop->own, cpu->rank);
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

		if (!starves(hop, &slot->ask.cpu))
			continue;
		sprof_cpu_set_add(&order->taken, cpu);
		if (slot->ask.cpu.pinned)
			sprof_cpu_set_add(&order->taken_for_good, cpu);
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

		slot->distance = (unsigned)(slot->ask.cpu.number - here) % SPROF_CPU_SET_SIZE;
	}
	qsort(slots->items, slots->count, sizeof(*slots->items), by_distance);
}

/* Moves to a free CPU, if there is one and that helps; always leaves a taken CPU. */
static void leave(const struct stop_order *order, const struct slots *slots)
{
	const struct sprof_cpu_set unwanted = sprof_cpu_set_join(&order->busy, &order->taken);

	if (sprof_cpu_set_count(&order->taken))
		sprof_hop_keep_off(order->hop, &order->taken);
	if (order->crowded || are_all_pinned(slots))
		return;
	sprof_hop_off(order->hop, &unwanted);
}

void sprof_stop_order_begin(
	struct stop_order *order, const struct slots *slots, bool crowded, struct sprof_hop *hop)
{
	sprof_hop_note_queued(hop);
	order->hop = hop;
	order->crowded = crowded;
	order->busy = find_busy(slots);
	find_taken(slots, hop, order);
	leave(order, slots);
	sort(slots);
	order->end = slots->items + slots->count;
	order->group = (struct slot_group){slots->items, slots->items};
}

/*
 * A single thread is also stopped from a CPU that no other thread wants, unless it is pinned: then
 * the kernel can't wake it on the CPU that we left.
 */
static bool is_near(const struct stop_order *order)
{
	const struct slot_group *group = &order->group;

	return !order->crowded && group->last - group->first == 1 &&
		group->first->phase == SLOT_PLANNED &&
		(!group->first->ask.cpu.pinned ||
			sprof_cpu_set_has(&order->taken, group->first->ask.cpu.number)) &&
		!sprof_cpu_set_has(&order->busy, sched_getcpu());
}

/*
 * Between two ticks, an unpinned real-time thread may come to our CPU. Then the kernel must be able
 * to wake us on another one.
 */
static void settle(const struct stop_order *order)
{
	if (sprof_cpu_set_count(&order->taken))
		sprof_hop_keep_off(order->hop, &order->taken_for_good);
}

/* Decides from which CPU the group is stopped, and moves there. */
static void approach(struct stop_order *order)
{
	struct slot_group *group = &order->group;
	const int cpu = group->first->ask.cpu.number;
	const bool is_taken = sprof_cpu_set_has(&order->taken, cpu);

	group->contended = order->crowded || sprof_cpu_set_has(&order->hop->avoided, cpu);
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
