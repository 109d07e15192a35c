/*
 * What happened around and between the two events of an instance: a ring of the last events, bounded
 * by memory, and the lines of each instance that was asked for.
 */
#ifndef SPROF_EVENTS_DETAILS_H
#define SPROF_EVENTS_DETAILS_H

#include "base/attributes.h"
#include "base/error.h"
#include "events/pairs.h"

/* Zeroed shows everything between the two events. */
struct sprof_details_options {
	uint64_t before_ns, after_ns; /* how long before event1 and after event2 */
	uint64_t hide_ns; /* between them, hides what follows a shown line sooner than this */
	bool same_cpu, same_pid, same_tid, same_key; /* hides events that differ */
	bool not_event1, not_event2; /* what "same" is not compared with; not both */
	size_t max_bytes;            /* of the ring; 0: SPROF_DETAILS_MAX_BYTES */
};

enum { SPROF_DETAILS_MAX_BYTES = 64 << 20 };

/* Parses "-1ms,+2ms,1,2,hide<10us,samecpu,samepid,sametid,samekey". False: the error begins with
 * "column N: ". */
SPROF_MUST_USE bool sprof_details_parse(
	const char *text, struct sprof_details_options *ret, struct sprof_error *err);

enum sprof_details_kind {
	SPROF_DETAILS_BEFORE,
	SPROF_DETAILS_EVENT1,
	SPROF_DETAILS_BETWEEN,
	SPROF_DETAILS_EVENT2,
	SPROF_DETAILS_AFTER,
	SPROF_DETAILS_END, /* has no event: ends the lines of the instance */
};

struct sprof_details_line {
	enum sprof_details_kind kind;
	const struct sprof_trace_side *side; /* NULL: END */
	/* BEFORE: until event1; AFTER: since event2; EVENT1: 0; else since the line above. */
	uint64_t distance_ns;
	uint64_t hidden; /* events between the line above and this */
	/* EVENT1: the ring no longer has all that lies in the window. */
	bool incomplete;
};

struct sprof_details_listener {
	/* The lines of one instance, in the order of time. What it gets lives until it returns. */
	void (*line)(void *context, const struct sprof_trace_instance *instance,
		const struct sprof_details_line *line);
	void *context;
};

struct sprof_details;

/* NULL: no memory. */
SPROF_MUST_USE struct sprof_details *sprof_details_create(
	const struct sprof_details_options *options, const struct sprof_details_listener *listener);
void sprof_details_destroy(struct sprof_details *details);

/*
 * Keeps an event, and shows the instances whose time after event2 is over. `oldest_ns`: the time of
 * the oldest event1 that still waits, so that what no instance can show any more is forgotten.
 * False: no memory; the event is not kept.
 */
SPROF_MUST_USE bool sprof_details_add(
	struct sprof_details *details, const struct sprof_trace_side *side, uint64_t oldest_ns);

/*
 * Asks for the lines of an instance. It is shown at once, or after the time behind event2. One
 * without an event2 (its event is NULL) is shown at once, with what there is behind event1. False: no
 * memory.
 */
SPROF_MUST_USE bool sprof_details_request(
	struct sprof_details *details, const struct sprof_trace_instance *instance);

/* Shows the instances that wait for events up to now; UINT64_MAX: all. */
void sprof_details_flush(struct sprof_details *details, uint64_t now_ns);

/* The bytes that the ring has now, and the events that it lost for want of room. */
size_t sprof_details_bytes(const struct sprof_details *details);
uint64_t sprof_details_evicted(const struct sprof_details *details);

#endif
