/*
 * The event1 that wait for their event2: found by position and key, listed by time.
 */
#ifndef SPROF_EVENTS_OPEN_EVENTS_H
#define SPROF_EVENTS_OPEN_EVENTS_H

#include "base/idmap.h"
#include "events/pairs.h"

#define SPROF_OPEN_NONE UINT32_MAX

struct sprof_open_event {
	struct sprof_trace_side side; /* its event is a copy */
	uint32_t older, newer;        /* SPROF_OPEN_NONE: none; of a free one `newer` is the next */
};

/* Initialised by sprof_open_events_init. */
struct sprof_open_events {
	struct sprof_open_event *items;
	size_t used, capacity; /* of the array */
	size_t count;          /* open ones */
	uint32_t oldest, newest, free;
	uint32_t unseen; /* the oldest that was not reported as overdue; moved by who reports */
	struct sprof_idmap by_key;
};

void sprof_open_events_init(struct sprof_open_events *open);

/* The index of the event that waits at this position, or SPROF_OPEN_NONE. */
uint32_t sprof_open_events_find(const struct sprof_open_events *open, size_t position, int64_t key);

/* Adds a copy of the side's event, as the newest. There is none of its position and key. */
SPROF_MUST_USE bool sprof_open_events_add(
	struct sprof_open_events *open, const struct sprof_trace_side *side);

void sprof_open_events_remove(struct sprof_open_events *open, uint32_t index);

/* As sprof_pairs_overdue() and sprof_pairs_oldest_ns(). */
void sprof_open_events_overdue(struct sprof_open_events *open, uint64_t now_ns, uint64_t than_ns,
	bool (*visit)(void *context, const struct sprof_trace_side *side), void *context);
uint64_t sprof_open_events_oldest_ns(const struct sprof_open_events *open);

void sprof_open_events_finish(struct sprof_open_events *open);

#endif
