/*
 * Pairs events: each event of one position with the next event of the following position that has
 * the same key.
 *
 *     -e A,B -e C,D -e E       A=>C A=>D B=>C B=>D C=>E D=>E; with cycle also E=>A E=>B
 *
 * An event may be event1 (it opens an instance) unless it is in the last position, and event2 (it
 * closes one) unless it is in the first; with cycle it may be both. Its role= attribute can only
 * restrict this: bit 0 permits event1, bit 1 event2. An event that is both closes an instance first
 * and then opens another. An event1 replaces an older one of its position and key.
 */
#pragma once

#include "base/attributes.h"
#include "events/language/event-list.h"

/* An event with the item that matched it, and its key. */
struct sprof_trace_side {
	const struct sprof_trace_event *event;
	const struct sprof_event_item *item;
	int64_t key;       /* from the item's key or, without one, the event's thread id */
	uint64_t sequence; /* sequence number of the event in the stream */
};

struct sprof_trace_instance {
	struct sprof_trace_side event1, event2;
	uint64_t latency_ns;
	bool over;  /* latency above `than` */
	bool under; /* latency below `lower` */
};

/* Why an event has no partner. */
enum sprof_unpaired {
	SPROF_UNPAIRED_REPLACED, /* event1: followed by another one with its key */
	SPROF_UNPAIRED_GAP,      /* event1: records after it were lost */
	SPROF_UNPAIRED_OPEN,     /* event1: no event2 until the end */
	SPROF_UNPAIRED_SECOND,   /* event2: no open event1 */
};

/*
 * Callbacks for results. Each may be NULL. Their arguments are valid during the call; items are
 * valid as long as the list. They must not change the pairs.
 */
struct sprof_pairs_listener {
	/* Called for each event that an item matches, including untraced ones, before its
	 * instances. The item is the first match. */
	void (*event)(void *context, const struct sprof_trace_side *side);
	void (*instance)(void *context, const struct sprof_trace_instance *instance);
	void (*unpaired)(
		void *context, const struct sprof_trace_side *side, enum sprof_unpaired reason);
	/* Whether the target has, or had, a thread with this id. */
	bool (*owns)(void *context, int64_t tid);
	void *context;
};

struct sprof_pairs_options {
	const struct sprof_event_list *list; /* checked; must outlive the pairs */
	bool cycle;
	bool has_than, has_lower;
	uint64_t than_ns, lower_ns;
	size_t max_open; /* limit of open event1; 0: SPROF_PAIRS_MAX_OPEN */
	const struct sprof_expression_lookup *lookup; /* may be NULL; must outlive the pairs */
	struct sprof_pairs_listener listener;
};

enum { SPROF_PAIRS_MAX_OPEN = 100 * 1000 };

struct sprof_pairs_counts {
	uint64_t events; /* matched by an item */
	uint64_t instances;
	uint64_t replaced;  /* event1: SPROF_UNPAIRED_REPLACED */
	uint64_t gaps;      /* event1: SPROF_UNPAIRED_GAP */
	uint64_t open;      /* event1: SPROF_UNPAIRED_OPEN */
	uint64_t second;    /* event2: SPROF_UNPAIRED_SECOND */
	uint64_t overflows; /* event1 dropped because max_open was reached */
	uint64_t not_later; /* event2 not later than their event1, which stays open */
};

/*
 * Whether the event belongs to another program: by its thread, or by its key if that is a thread
 * id. Only scheduler events can, because they have two threads. A filter of ids may ask for other
 * programs.
 */
bool sprof_trace_side_is_foreign(
	const struct sprof_pairs_options *options, const struct sprof_trace_side *side);

/* Combines an event with the item, and computes its key. */
struct sprof_trace_side sprof_trace_side_of(const struct sprof_pairs_options *options,
	const struct sprof_trace_event *event, const struct sprof_event_item *item,
	uint64_t sequence);
/* Combines two events into an instance, and compares its latency with the thresholds. */
struct sprof_trace_instance sprof_trace_instance_of(const struct sprof_pairs_options *options,
	const struct sprof_trace_side *event1, const struct sprof_trace_side *event2);

struct sprof_pairs;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_pairs *sprof_pairs_create(const struct sprof_pairs_options *options);
/* NULL is accepted. Open events are dropped without a report; see sprof_pairs_close(). */
void sprof_pairs_destroy(struct sprof_pairs *pairs);

/*
 * Takes the next event, in order of time. `ret_trigger`: whether an item with `trigger` matched.
 * Returns false if out of memory; the event may then have opened no instance.
 */
SPROF_MUST_USE bool sprof_pairs_add(
	struct sprof_pairs *pairs, const struct sprof_trace_event *event, bool *ret_trigger);

/* Records before end_ns were lost: drops the event1 opened before. */
void sprof_pairs_gap(struct sprof_pairs *pairs, uint64_t end_ns);

/* End of the stream: reports open event1 as unpaired. */
void sprof_pairs_close(struct sprof_pairs *pairs);

/*
 * Calls `visit` for each event1 that has been open for more than `than_ns`, oldest first. Each
 * event is visited once; visited events cost nothing in later calls. Stops when `visit` returns
 * false.
 */
void sprof_pairs_overdue(struct sprof_pairs *pairs, uint64_t now_ns, uint64_t than_ns,
	bool (*visit)(void *context, const struct sprof_trace_side *side), void *context);

/* The time of the oldest open event1; UINT64_MAX: none. */
uint64_t sprof_pairs_oldest_ns(const struct sprof_pairs *pairs);

/* The number of open event1. */
size_t sprof_pairs_open(const struct sprof_pairs *pairs);

const struct sprof_pairs_counts *sprof_pairs_counts(const struct sprof_pairs *pairs);
