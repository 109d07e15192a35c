/* The most recent events of a stream in order of time, bounded by memory. */
#ifndef SPROF_EVENTS_PAIRS_EVENT_RING_H
#define SPROF_EVENTS_PAIRS_EVENT_RING_H

#include "base/attributes.h"
#include "events/pairs/pairs.h"

/* Set max_bytes; the rest zeroed is empty and valid. */
struct sprof_event_ring {
	struct sprof_trace_side *items; /* hold copies of the events */
	size_t first, count, capacity;  /* capacity is 0 or a power of two */
	size_t bytes, max_bytes;
	uint64_t evicted;    /* events dropped because the ring was full */
	uint64_t evicted_ns; /* time of the last dropped event */
};

/* Appends a copy; drops the oldest events if the ring is full. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_event_ring_add(
	struct sprof_event_ring *ring, const struct sprof_trace_side *side);

/* Drops the events before time_ns. */
void sprof_event_ring_trim(struct sprof_event_ring *ring, uint64_t time_ns);

/* The event at an index; 0 is the oldest. */
const struct sprof_trace_side *sprof_event_ring_at(
	const struct sprof_event_ring *ring, size_t index);

/* The index of the first event at or after time_ns; `count` if there is none. */
size_t sprof_event_ring_find(const struct sprof_event_ring *ring, uint64_t time_ns);

void sprof_event_ring_finish(struct sprof_event_ring *ring);

#endif
