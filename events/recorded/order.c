/*
 * Sorts events by time. Does not limit their number: one reading yields at most what the rings
 * hold.
 */
#include "events/recorded/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct sprof_recorded *sprof_recorded_order_add(
	struct sprof_recorded_order *order, const struct sprof_trace_event *event)
{
	struct sprof_recorded *added;

	if (!sprof_array_reserve(
		    &order->items, &order->capacity, order->count + 1, sizeof(*order->items)))
		return NULL;
	added = &order->items[order->count++];
	added->event = *event;
	added->number = order->next_number++;
	added->copy = NULL;
	return added;
}

bool sprof_recorded_order_add_copy(
	struct sprof_recorded_order *order, const struct sprof_trace_event *event)
{
	struct sprof_trace_event *copy = sprof_trace_event_copy(event);
	struct sprof_recorded *added = copy ? sprof_recorded_order_add(order, event) : NULL;

	if (!added) {
		free(copy);
		return false;
	}
	added->copy = copy;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct sprof_recorded *left = a, *right = b;

	if (left->event.time_ns != right->event.time_ns)
		return left->event.time_ns < right->event.time_ns ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Only now: the values have moved while they were sorted. */
static void settle(struct sprof_recorded *recorded)
{
	if (recorded->copy) {
		recorded->event.fields = recorded->copy->fields;
		return;
	}
	if (recorded->event.type < SPROF_TRACE_TYPES)
		sprof_tracepoint_values_settle(
			&recorded->values, (enum sprof_trace_type)recorded->event.type);
	recorded->event.fields = recorded->values.values;
}

bool sprof_recorded_order_release(struct sprof_recorded_order *order, uint64_t until_ns,
	bool (*take)(void *data, const struct sprof_recorded *recorded), void *data)
{
	size_t given = 0;
	bool ok = true;

	if (order->count)
		qsort(order->items, order->count, sizeof(*order->items), compare);
	for (; given < order->count && order->items[given].event.time_ns < until_ns; given++) {
		settle(&order->items[given]);
		ok &= take(data, &order->items[given]);
		free(order->items[given].copy);
	}
	order->count -= given;
	if (given && order->count)
		memmove(order->items, order->items + given, order->count * sizeof(*order->items));
	return ok;
}

void sprof_recorded_order_finish(struct sprof_recorded_order *order)
{
	for (size_t i = 0; i < order->count; i++)
		free(order->items[i].copy);
	free(order->items);
	*order = (struct sprof_recorded_order){0};
}
