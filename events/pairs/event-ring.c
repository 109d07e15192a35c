/*
 * A ring of event copies. The array grows as long as max_bytes permits. Does not handle events out
 * of order: the search by time assumes sorted events.
 */
#include "events/pairs/event-ring.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static struct sprof_trace_side *place(const struct sprof_event_ring *ring, size_t index)
{
	return &ring->items[(ring->first + index) & (ring->capacity - 1)];
}

static size_t size_of(const struct sprof_trace_event *event)
{
	return sprof_trace_event_copy_size(event) + sizeof(struct sprof_trace_side);
}

static void drop_oldest(struct sprof_event_ring *ring)
{
	struct sprof_trace_side *side = place(ring, 0);

	ring->bytes -= size_of(side->event);
	free((void *)side->event);
	ring->first = (ring->first + 1) & (ring->capacity - 1);
	ring->count--;
}

static bool grow(struct sprof_event_ring *ring)
{
	size_t capacity = ring->capacity ? ring->capacity * 2 : FIRST_CAPACITY;
	struct sprof_trace_side *items;

	if (ring->count < ring->capacity)
		return true;
	items = malloc(capacity * sizeof(*items));
	if (!items)
		return false;
	for (size_t i = 0; i < ring->count; i++)
		items[i] = *place(ring, i);
	free(ring->items);
	ring->items = items;
	ring->first = 0;
	ring->capacity = capacity;
	return true;
}

static void make_room(struct sprof_event_ring *ring, size_t bytes)
{
	while (ring->count && ring->bytes + bytes > ring->max_bytes) {
		ring->evicted++;
		ring->evicted_ns = place(ring, 0)->event->time_ns;
		drop_oldest(ring);
	}
}

bool sprof_event_ring_add(struct sprof_event_ring *ring, const struct sprof_trace_side *side)
{
	struct sprof_trace_event *copy;

	make_room(ring, size_of(side->event));
	if (!grow(ring))
		return false;
	copy = sprof_trace_event_copy(side->event);
	if (!copy)
		return false;
	*place(ring, ring->count) = *side;
	place(ring, ring->count)->event = copy;
	ring->count++;
	ring->bytes += size_of(copy);
	return true;
}

void sprof_event_ring_trim(struct sprof_event_ring *ring, uint64_t time_ns)
{
	while (ring->count && place(ring, 0)->event->time_ns < time_ns)
		drop_oldest(ring);
}

const struct sprof_trace_side *sprof_event_ring_at(
	const struct sprof_event_ring *ring, size_t index)
{
	return place(ring, index);
}

size_t sprof_event_ring_find(const struct sprof_event_ring *ring, uint64_t time_ns)
{
	size_t low = 0, high = ring->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (place(ring, middle)->event->time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void sprof_event_ring_finish(struct sprof_event_ring *ring)
{
	while (ring->count)
		drop_oldest(ring);
	free(ring->items);
	*ring = (struct sprof_event_ring){.max_bytes = ring->max_bytes};
}
