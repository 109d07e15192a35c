/*
 * The last events of a stream, in the order of time, bounded by memory.
 */
#ifndef SPROF_EVENTS_EVENT_RING_H
#define SPROF_EVENTS_EVENT_RING_H

#include "base/attributes.h"
#include "events/pairs.h"

/* Zeroed, with max_bytes set, is empty and valid. */
struct sprof_event_ring {
	struct sprof_trace_side *items; /* their events are copies */
	size_t first, count, capacity;  /* capacity: 0 or a power of two */
	size_t bytes, max_bytes;
	uint64_t evicted;    /* events that were dropped for want of room */
	uint64_t evicted_ns; /* the time of the last of them */
};

/* Appends a copy; drops the oldest events where there is no room. False: no memory. */
SPROF_MUST_USE bool sprof_event_ring_add(
	struct sprof_event_ring *ring, const struct sprof_trace_side *side);

/* Forgets the events before this time. */
void sprof_event_ring_trim(struct sprof_event_ring *ring, uint64_t time_ns);

/* The event at a place; 0 is the oldest. */
const struct sprof_trace_side *sprof_event_ring_at(
	const struct sprof_event_ring *ring, size_t index);

/* The place of the first event that is not before this time; the count, if there is none. */
size_t sprof_event_ring_find(const struct sprof_event_ring *ring, uint64_t time_ns);

void sprof_event_ring_finish(struct sprof_event_ring *ring);

#endif
