/*
 * Relates events: each event of a position of the list with the event of the next position that has
 * the same key and comes after it.
 *
 *     -e A,B -e C,D -e E       A=>C A=>D B=>C B=>D C=>E D=>E; with cycle also E=>A E=>B
 *
 * An event may be event1 (it opens an instance) unless it is in the last position, and event2 (it
 * closes one) unless it is in the first; with cycle it may be both. Its role can only take that away:
 * bit 0 stands for event1, bit 1 for event2. As event2 it comes first: in the middle it closes an
 * instance and then opens another. An event1 replaces an older one of its position and key.
 */
#ifndef SPROF_EVENTS_PAIRS_H
#define SPROF_EVENTS_PAIRS_H

#include "base/attributes.h"
#include "events/event-list.h"

/* An event with what the list makes of it. */
struct sprof_trace_side {
	const struct sprof_trace_event *event;
	const struct sprof_event_item *item;
	int64_t key;       /* the item's; without one, the thread's id in the event */
	uint64_t sequence; /* the number of the event in the stream */
};

struct sprof_trace_instance {
	struct sprof_trace_side event1, event2;
	uint64_t latency_ns;
	bool over;  /* above `than`; an equal latency is not */
	bool under; /* below `lower`, likewise */
};

/* Why an event has no partner. */
enum sprof_unpaired {
	SPROF_UNPAIRED_REPLACED, /* event1: the next one with its key came first */
	SPROF_UNPAIRED_GAP,      /* event1: records were lost after it */
	SPROF_UNPAIRED_OPEN,     /* event1: no event2 came until the end */
	SPROF_UNPAIRED_SECOND,   /* event2: there is no event1 before it */
};

/*
 * Who gets what is found. Each function may be NULL. What it gets lives until it returns; the items
 * live as long as the list. None of them may change the pairs.
 */
struct sprof_pairs_listener {
	/* Each event that an item matches, the untraced ones too, before its instances. The item is
	 * the first that matches. */
	void (*event)(void *context, const struct sprof_trace_side *side);
	void (*instance)(void *context, const struct sprof_trace_instance *instance);
	void (*unpaired)(
		void *context, const struct sprof_trace_side *side, enum sprof_unpaired reason);
	void *context;
};

struct sprof_pairs_options {
	const struct sprof_event_list *list; /* checked; lives longer */
	bool cycle;
	bool has_than, has_lower;
	uint64_t than_ns, lower_ns;
	size_t max_open; /* how many event1 may wait for their event2; 0: SPROF_PAIRS_MAX_OPEN */
	const struct sprof_expression_lookup *lookup; /* may be NULL; lives longer */
	struct sprof_pairs_listener listener;
};

enum { SPROF_PAIRS_MAX_OPEN = 100 * 1000 };

struct sprof_pairs_counts {
	uint64_t events; /* that an item matches */
	uint64_t instances;
	uint64_t replaced;  /* event1: SPROF_UNPAIRED_REPLACED */
	uint64_t gaps;      /* event1: SPROF_UNPAIRED_GAP */
	uint64_t open;      /* event1: SPROF_UNPAIRED_OPEN */
	uint64_t second;    /* event2: SPROF_UNPAIRED_SECOND */
	uint64_t overflows; /* event1 that max_open had no place for */
	uint64_t not_later; /* event2 that came no later than their event1; it stays open */
};

/* The event as the item's, with its key. */
struct sprof_trace_side sprof_trace_side_of(const struct sprof_pairs_options *options,
	const struct sprof_trace_event *event, const struct sprof_event_item *item,
	uint64_t sequence);
/* What the two make, with what the options say of the time between them. */
struct sprof_trace_instance sprof_trace_instance_of(const struct sprof_pairs_options *options,
	const struct sprof_trace_side *event1, const struct sprof_trace_side *event2);

struct sprof_pairs;

/* NULL: no memory. */
SPROF_MUST_USE struct sprof_pairs *sprof_pairs_create(const struct sprof_pairs_options *options);
/* NULL is accepted. What is still open is forgotten: see sprof_pairs_close. */
void sprof_pairs_destroy(struct sprof_pairs *pairs);

/*
 * The next event. Events come in the order of time. `ret_trigger`: whether an item with `trigger`
 * matches. False: no memory; the event may have opened no instance.
 */
SPROF_MUST_USE bool sprof_pairs_add(
	struct sprof_pairs *pairs, const struct sprof_trace_event *event, bool *ret_trigger);

/* Records were lost before this time: what was opened before it is dropped. */
void sprof_pairs_gap(struct sprof_pairs *pairs, uint64_t end_ns);

/* The end of the stream: what is open is unpaired. */
void sprof_pairs_close(struct sprof_pairs *pairs);

/*
 * Calls `visit` for each event1 that has been open for more than `than_ns`, once in its life and the
 * oldest first. Costs nothing for those that were visited before. `visit` false: stops here.
 */
void sprof_pairs_overdue(struct sprof_pairs *pairs, uint64_t now_ns, uint64_t than_ns,
	bool (*visit)(void *context, const struct sprof_trace_side *side), void *context);

/* The time of the oldest open event1; UINT64_MAX: there is none. */
uint64_t sprof_pairs_oldest_ns(const struct sprof_pairs *pairs);

/* How many event1 are open. */
size_t sprof_pairs_open(const struct sprof_pairs *pairs);

const struct sprof_pairs_counts *sprof_pairs_counts(const struct sprof_pairs *pairs);

#endif
