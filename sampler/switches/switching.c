/*
 * The arithmetic of a thread's switches. Does not read them, and does not know of stops: exact.c
 * does.
 */
#include "sampler/switches/switching.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "base/search.h"

void sprof_switching_destroy(struct switching *switching)
{
	if (!switching)
		return;
	free(switching->switches.items);
	free(switching->places.items);
	free(switching);
}

bool sprof_switching_add(struct switching *switching, const struct switch_item *item)
{
	struct switch_queue *queue = &switching->switches;

	if (!sprof_array_reserve(
		    &queue->items, &queue->capacity, queue->count + 1, sizeof(*queue->items)))
		return false;
	queue->is_unsorted |=
		queue->count && queue->items[queue->count - 1].time_ns > item->time_ns;
	queue->items[queue->count++] = *item;
	return true;
}

bool sprof_switching_add_place(struct switching *switching, const struct off_place *place)
{
	struct place_queue *queue = &switching->places;

	if (!sprof_array_reserve(
		    &queue->items, &queue->capacity, queue->count + 1, sizeof(*queue->items)))
		return false;
	queue->is_unsorted |=
		queue->count && queue->items[queue->count - 1].time_ns > place->time_ns;
	queue->items[queue->count++] = *place;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct switch_item *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	if (!left->gap_ns != !right->gap_ns)
		return left->gap_ns ? -1 : 1;
	return (int)right->is_off - (int)left->is_off;
}

/* CPUs are read one after the other. */
static void sort(struct switch_queue *queue)
{
	if (queue->is_unsorted)
		qsort(queue->items, queue->count, sizeof(*queue->items), compare);
	queue->is_unsorted = false;
}

static int compare_places(const void *a, const void *b)
{
	const struct off_place *left = a, *right = b;

	return left->time_ns < right->time_ns ? -1 : left->time_ns > right->time_ns;
}

static void sort_places(struct place_queue *queue)
{
	if (queue->is_unsorted)
		qsort(queue->items, queue->count, sizeof(*queue->items), compare_places);
	queue->is_unsorted = false;
}

/* What is known of the present interval is not valid any more. */
static void lose(struct switching *switching, uint64_t until_ns)
{
	switching->base_off = switching->paused_off = (struct off_part){0};
	switching->is_off = false;
	switching->is_lost = true;
	switching->gaps++;
	if (switching->since_ns < until_ns)
		switching->since_ns = until_ns;
}

/* Whether the item is a switch: not a gap, nor in one. */
static bool is_sure(struct switching *switching, const struct switch_item *item)
{
	if (item->gap_ns)
		lose(switching, item->gap_ns);
	else if (!switching->is_lost || item->time_ns > switching->since_ns)
		switching->is_lost = false;
	return !switching->is_lost;
}

bool sprof_switching_take(struct switching *switching, uint64_t until_ns, struct switch_item *ret)
{
	struct switch_queue *queue = &switching->switches;

	sort(queue);
	while (queue->first < queue->count && queue->items[queue->first].time_ns < until_ns) {
		*ret = queue->items[queue->first++];
		if (is_sure(switching, ret))
			return true;
	}
	queue->count -= queue->first;
	if (queue->first && queue->count)
		memmove(queue->items, &queue->items[queue->first],
			queue->count * sizeof(*queue->items));
	queue->first = 0;
	return false;
}

bool sprof_switching_went_on(struct switching *switching, uint64_t until_ns)
{
	struct switch_queue *queue = &switching->switches;

	sort(queue);
	for (size_t i = queue->first; i < queue->count && queue->items[i].time_ns < until_ns; i++) {
		/* A gap may have hidden anything. */
		if (!queue->items[i].is_off)
			return true;
	}
	return false;
}

bool sprof_switching_was_preempted(struct switching *switching, uint64_t time_ns)
{
	struct switch_queue *queue = &switching->switches;
	const struct switch_item *first;
	size_t count, at;

	sort(queue);
	count = queue->count - queue->first;
	if (!count)
		return false;
	first = queue->items + queue->first;
	at = sprof_lower_bound(first, count, SPROF_KEY(first, time_ns, time_ns));
	return at < count && first[at].is_off && first[at].preempted;
}

/* The last place since the thread got its CPU is where it left it; earlier ones had no switch. */
static void take_place(struct switching *switching, uint64_t off_ns)
{
	struct place_queue *queue = &switching->places;
	size_t taken = 0;

	sort_places(queue);
	switching->has_place = false;
	while (taken < queue->count && queue->items[taken].time_ns <= off_ns)
		taken++;
	if (!taken)
		return;
	switching->place = queue->items[taken - 1];
	switching->has_last = true;
	switching->has_place =
		!switching->is_known || switching->place.time_ns >= switching->since_ns;
	queue->count -= taken;
	memmove(queue->items, &queue->items[taken], queue->count * sizeof(*queue->items));
}

/* A second record of the same switch says nothing new. */
void sprof_switching_off(struct switching *switching, const struct switch_item *item)
{
	if (switching->is_known && switching->is_off)
		return;
	take_place(switching, item->time_ns);
	switching->is_known = switching->is_off = true;
	switching->is_counted = false;
	switching->preempted = item->preempted;
	switching->since_ns = item->time_ns;
}

bool sprof_switching_on(struct switching *switching, uint64_t time_ns, struct off_interval *ret)
{
	const bool was_off = switching->is_known && switching->is_off;

	if (switching->is_known && !switching->is_off)
		return false;
	*ret = (struct off_interval){switching->since_ns, time_ns, switching->preempted};
	switching->is_known = true;
	switching->is_off = false;
	switching->since_ns = time_ns;
	return was_off;
}

void sprof_switching_found_off(struct switching *switching, uint64_t since_ns)
{
	switching->is_known = switching->is_off = true;
	switching->preempted = switching->is_counted = switching->has_place = false;
	switching->since_ns = since_ns;
}

/* The copy gets no places, because they have one owner. */
static uint64_t add_pending(const struct switching *switching, struct switching *copy)
{
	const struct switch_queue *queue = &switching->switches;
	struct off_interval interval;
	uint64_t ns = 0;

	copy->places = (struct place_queue){0};
	for (size_t i = queue->first; i < queue->count; i++) {
		const struct switch_item *item = &queue->items[i];

		if (!is_sure(copy, item))
			continue;
		if (item->is_off)
			sprof_switching_off(copy, item);
		else if (sprof_switching_on(copy, item->time_ns, &interval))
			ns += sprof_minus(interval.end_ns, interval.begin_ns);
	}
	return ns;
}

/* While a preempted thread waits in the run queue, the kernel has not counted that time either. */
struct switching_off sprof_switching_off_by(struct switching *switching, uint64_t now_ns)
{
	const struct switching_totals *totals = &switching->totals;
	uint64_t ns = totals->wait_ns + totals->preempted_ns + totals->ready_ns;
	struct switching copy;

	sort(&switching->switches);
	copy = *switching;
	ns += add_pending(switching, &copy);
	if (copy.is_known && copy.is_off && !copy.preempted)
		ns += sprof_minus(now_ns, copy.since_ns);
	return (struct switching_off){
		.is_known = switching->is_known && !copy.is_lost, .ns = ns, .gaps = copy.gaps};
}

/* The present interval, as if it were a wait that ended now. */
static struct off_part present(const struct switching *switching, uint64_t now_ns)
{
	if (!switching->is_known || !switching->is_off || switching->preempted)
		return (struct off_part){0};
	return (struct off_part){
		.waits = 1,
		.ns = sprof_minus(now_ns, switching->since_ns),
		.longest_ns = sprof_most(switching->base_off.longest_ns,
			sprof_minus(now_ns, sprof_most(switching->since_ns, switching->from_ns))),
	};
}

static void add_part(struct switching_totals *totals, const struct off_part *part)
{
	totals->waits += part->waits;
	totals->wait_ns += part->ns;
	totals->longest_ns = sprof_most(totals->longest_ns, part->longest_ns);
}

/* What was known of the interval before its end counts only if it is a wait. */
static void settle(struct switching *switching, bool is_wait)
{
	if (is_wait) {
		switching->totals.longest_ns =
			sprof_most(switching->totals.longest_ns, switching->base_off.longest_ns);
		add_part(&switching->base, &switching->base_off);
		add_part(&switching->paused, &switching->paused_off);
	}
	switching->base_off = switching->paused_off = (struct off_part){0};
}

enum off_kind sprof_switching_count(
	struct switching *switching, const struct off_interval *interval, uint64_t resumed_ns)
{
	struct switching_totals *totals = &switching->totals;
	const uint64_t ns = sprof_minus(interval->end_ns, interval->begin_ns);

	settle(switching, !interval->preempted && !resumed_ns);
	if (interval->preempted) {
		totals->preemptions++;
		totals->preempted_ns += ns;
		return OFF_PREEMPTED;
	}
	if (resumed_ns) {
		totals->ready_ns += sprof_minus(interval->end_ns, resumed_ns);
		return OFF_STOP;
	}
	totals->waits++;
	totals->wait_ns += ns;
	totals->longest_ns = sprof_most(totals->longest_ns,
		sprof_minus(interval->end_ns, sprof_most(interval->begin_ns, switching->from_ns)));
	return OFF_WAIT;
}

struct switching_totals sprof_switching_own(const struct switching *switching, uint64_t now_ns)
{
	const struct switching_totals *base = &switching->base;
	const struct off_part part = present(switching, now_ns);
	struct switching_totals own = switching->totals;

	add_part(&own, &part);
	own.waits -= base->waits + switching->base_off.waits;
	own.wait_ns = sprof_minus(own.wait_ns, base->wait_ns + switching->base_off.ns);
	own.preemptions -= base->preemptions;
	own.preempted_ns -= base->preempted_ns;
	return own;
}

void sprof_switching_pause(struct switching *switching, uint64_t now_ns)
{
	switching->paused = switching->totals;
	switching->paused_off = present(switching, now_ns);
}

void sprof_switching_resume(struct switching *switching, uint64_t now_ns)
{
	const struct off_part part = present(switching, now_ns);
	const struct off_part *part_then = &switching->paused_off;
	const struct switching_totals *now = &switching->totals, *then = &switching->paused;
	struct switching_totals *base = &switching->base;

	base->waits += now->waits - then->waits;
	base->wait_ns += now->wait_ns - then->wait_ns;
	base->preemptions += now->preemptions - then->preemptions;
	base->preempted_ns += now->preempted_ns - then->preempted_ns;
	switching->base_off.waits += part.waits - part_then->waits;
	switching->base_off.ns += sprof_minus(part.ns, part_then->ns);
	switching->base_off.longest_ns = part_then->longest_ns;
	switching->totals.longest_ns = then->longest_ns;
	switching->paused_off = (struct off_part){0};
	switching->from_ns = now_ns;
}

/* Their ids belong to a sink that is gone. */
static void forget_places(struct switching *switching)
{
	switching->has_place = switching->has_last = false;
	switching->places.count = 0;
}

void sprof_switching_restart(struct switching *switching, uint64_t now_ns)
{
	switching->totals.longest_ns = 0;
	switching->base = switching->paused = switching->totals;
	switching->base_off = switching->paused_off = present(switching, now_ns);
	switching->base_off.longest_ns = switching->paused_off.longest_ns = 0;
	forget_places(switching);
}
