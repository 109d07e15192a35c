/* The event1 that wait for their event2: looked up by position and key, listed by time. */
#pragma once

#include "base/idmap.h"
#include "events/pairs/pairs.h"

#define SPROF_OPEN_NONE UINT32_MAX

struct sprof_open_event {
	struct sprof_trace_side side; /* holds a copy of the event */
	/* SPROF_OPEN_NONE: none; in a free entry, `newer` is the next free one */
	uint32_t older, newer;
};

/* Initialise with sprof_open_events_init(). */
struct sprof_open_events {
	struct sprof_open_event *items;
	size_t used, capacity; /* of the array */
	size_t count;          /* number of open events */
	uint32_t oldest, newest, free;
	/* the oldest event not yet reported as overdue; the reporting function moves it */
	uint32_t unseen;
	struct sprof_idmap by_key;
};

void sprof_open_events_init(struct sprof_open_events *open);

/* The index of the waiting event, or SPROF_OPEN_NONE. */
uint32_t sprof_open_events_find(const struct sprof_open_events *open, size_t position, int64_t key);

/* Adds a copy of the side as the newest. No event of the same position and key may be open. */
SPROF_MUST_USE bool sprof_open_events_add(
	struct sprof_open_events *open, const struct sprof_trace_side *side);

void sprof_open_events_remove(struct sprof_open_events *open, uint32_t index);

/* As sprof_pairs_overdue() and sprof_pairs_oldest_ns(). */
void sprof_open_events_overdue(struct sprof_open_events *open, uint64_t now_ns, uint64_t than_ns,
	bool (*visit)(void *context, const struct sprof_trace_side *side), void *context);
uint64_t sprof_open_events_oldest_ns(const struct sprof_open_events *open);

void sprof_open_events_finish(struct sprof_open_events *open);
