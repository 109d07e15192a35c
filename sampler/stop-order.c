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

void sprof_stop_order_begin(
	struct stop_order *order, const struct slots *slots, const struct sprof_hop *hop)
{
	order->hop = hop;
	order->crowded = sprof_hop_is_crowded(hop, slots->count);
	find_busy(slots, &order->busy);
	if (!order->crowded && !are_all_pinned(slots))
		sprof_hop_off(hop, &order->busy);
	sort(slots);
	order->end = slots->items + slots->count;
	order->group = (struct slot_group){slots->items, slots->items};
}

/*
 * A single thread is stopped also from a CPU that nobody else wants: unless it is pinned, for then the
 * kernel can't wake it on the CPU that we left for it.
 */
static bool is_near(const struct stop_order *order)
{
	const struct slot_group *group = &order->group;

	return !order->crowded && group->last - group->first == 1 &&
		group->first->phase == SLOT_PLANNED && !is_pinned(group->first) &&
		!CPU_ISSET((size_t)sched_getcpu(), &order->busy);
}

bool sprof_stop_order_next(struct stop_order *order)
{
	struct slot_group *group = &order->group;

	group->first = group->last;
	group->contended = order->crowded;
	if (group->first == order->end)
		return false;
	while (group->last < order->end && group->last->before.cpu == group->first->before.cpu)
		group->last++;
	group->first->near = is_near(order);
	if (!group->first->near)
		sprof_hop_to(order->hop, group->first->before.cpu);
	return true;
}
