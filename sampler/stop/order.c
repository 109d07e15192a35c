/*
 * The order of stops. The threads of one CPU are stopped together, from that CPU, one CPU after the
 * other. Does not stop threads.
 */
#include "sampler/stop/slots.h"

#include <sched.h>
#include <stdlib.h>

/*
 * Notes which CPUs are busy, and which are taken: those with a real-time thread, of the target or
 * another program, as we would get no time there. It may be elsewhere at the next tick, unless it
 * is pinned. Returns whether all threads are pinned.
 */
static bool look_at_cpus(const struct slots *slots, struct stop_order *order)
{
	bool are_all_pinned = true;

	order->busy = (struct sprof_cpu_set){0};
	order->taken = order->taken_for_good = order->hop->avoided;
	for (size_t i = 0; i < slots->count; i++) {
		const struct known_cpu *cpu = &slots->items[i].ask.cpu;

		sprof_cpu_set_add(&order->busy, cpu->number);
		are_all_pinned &= cpu->pinned;
		if (!sprof_priority_is_starved_by(&order->hop->own, cpu->rank))
			continue;
		sprof_cpu_set_add(&order->taken, cpu->number);
		if (cpu->pinned)
			sprof_cpu_set_add(&order->taken_for_good, cpu->number);
	}
	return are_all_pinned;
}

static int by_distance(const void *one, const void *other)
{
	const struct slot *a = one, *b = other;

	return (a->distance > b->distance) - (a->distance < b->distance);
}

void sprof_stop_order_begin(
	struct stop_order *order, const struct slots *slots, bool crowded, struct sprof_hop *hop)
{
	struct sprof_cpu_set unwanted;
	bool are_all_pinned;
	int here;

	sprof_hop_note_queued(hop);
	order->hop = hop;
	order->crowded = crowded;
	are_all_pinned = look_at_cpus(slots, order);
	/* Moves to a free CPU, if there is one and that helps; always leaves a taken CPU. */
	unwanted = sprof_cpu_set_join(&order->busy, &order->taken);
	if (sprof_cpu_set_count(&order->taken))
		sprof_hop_keep_off(hop, &order->taken);
	if (!crowded && !are_all_pinned)
		sprof_hop_off(hop, &unwanted);
	/* By CPU, from ours upwards and around. */
	here = sched_getcpu();
	for (size_t i = 0; i < slots->count; i++) {
		struct slot *slot = &slots->items[i];

		slot->distance = (unsigned)(slot->ask.cpu.number - here) % SPROF_CPU_SET_SIZE;
	}
	qsort(slots->items, slots->count, sizeof(*slots->items), by_distance);
	order->end = slots->items + slots->count;
	order->group = (struct slot_group){slots->items, slots->items};
}

bool sprof_stop_order_next(struct stop_order *order)
{
	struct slot_group *group = &order->group;
	struct slot *first = group->first = group->last;
	bool is_taken;

	if (first == order->end) {
		/*
		 * Between two ticks, an unpinned real-time thread may come to our CPU. Then the
		 * kernel must be able to wake us on another one.
		 */
		if (sprof_cpu_set_count(&order->taken))
			sprof_hop_keep_off(order->hop, &order->taken_for_good);
		return false;
	}
	while (group->last < order->end && group->last->ask.cpu.number == first->ask.cpu.number)
		group->last++;
	is_taken = sprof_cpu_set_has(&order->taken, first->ask.cpu.number);
	group->contended =
		order->crowded || sprof_cpu_set_has(&order->hop->avoided, first->ask.cpu.number);
	/*
	 * A single thread is also stopped from a CPU that no other thread wants, unless it is
	 * pinned: then the kernel can't wake it on the CPU that we left.
	 */
	first->near = !order->crowded && group->last - first == 1 && first->phase == SLOT_PLANNED &&
		(!first->ask.cpu.pinned || is_taken) &&
		!sprof_cpu_set_has(&order->busy, sched_getcpu());
	first->may_visit = first->near && !is_taken;
	if (!first->near && !is_taken)
		sprof_hop_to(order->hop, first->ask.cpu.number);
	return true;
}
