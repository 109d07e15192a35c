/*
 * Sorts records by time. Records with equal times keep their order of insertion. Interprets only
 * gaps.
 */
#include "events/perf/sched-order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void sprof_sched_order_add(struct sprof_sched_order *order, const struct sprof_sched_record *record)
{
	if (!sprof_array_reserve(
		    &order->items, &order->capacity, order->count + 1, sizeof(*order->items))) {
		order->dropped++;
		return;
	}
	order->items[order->count] = (struct sprof_sched_ordered){*record, order->count};
	order->count++;
}

static int compare(const void *a, const void *b)
{
	const struct sprof_sched_ordered *left = a, *right = b;

	if (left->record.time_ns != right->record.time_ns)
		return left->record.time_ns < right->record.time_ns ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Passes a gap that begins and ends at one moment: no delay may span it. */
static void give_gap(uint64_t time_ns, uint64_t lost, sprof_sched_taker take, void *data)
{
	const struct sprof_sched_record begin = {.time_ns = time_ns, .kind = SPROF_SCHED_GAP_BEGIN};
	const struct sprof_sched_record end = {
		.time_ns = time_ns, .kind = SPROF_SCHED_GAP_END, .lost = lost};

	take(data, &begin);
	take(data, &end);
}

/* The begin of a gap may be early: the gap is longer then than it need be, never shorter. */
static void give(struct sprof_sched_order *order, const struct sprof_sched_record *record,
	sprof_sched_taker take, void *data)
{
	struct sprof_sched_record moved = *record;

	if (record->time_ns >= order->released_ns) {
		take(data, record);
	} else if (record->kind == SPROF_SCHED_GAP_BEGIN || record->kind == SPROF_SCHED_GAP_END) {
		moved.time_ns = order->released_ns;
		take(data, &moved);
	} else {
		order->late++;
		give_gap(order->released_ns, 1, take, data);
	}
}

/* Moves the remaining records to the front and renumbers them. */
static void remove_first(struct sprof_sched_order *order, size_t count)
{
	if (!count)
		return;
	order->count -= count;
	memmove(order->items, order->items + count, order->count * sizeof(*order->items));
	for (size_t i = 0; i < order->count; i++)
		order->items[i].number = i;
}

void sprof_sched_order_release(
	struct sprof_sched_order *order, uint64_t until_ns, sprof_sched_taker take, void *data)
{
	size_t given = 0;

	if (order->count)
		qsort(order->items, order->count, sizeof(*order->items), compare);
	while (given < order->count && order->items[given].record.time_ns < until_ns)
		give(order, &order->items[given++].record, take, data);
	remove_first(order, given);
	if (order->dropped)
		give_gap(until_ns, order->dropped, take, data);
	order->dropped = 0;
	if (until_ns > order->released_ns)
		order->released_ns = until_ns;
}

void sprof_sched_order_finish(struct sprof_sched_order *order)
{
	free(order->items);
	*order = (struct sprof_sched_order){0};
}
