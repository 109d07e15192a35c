/*
 * Shows what happened around and between the two events of an instance. Keeps a ring of recent
 * events, bounded by memory, and prints the lines of each requested instance.
 */
#pragma once

#include "base/attributes.h"
#include "base/error.h"
#include "events/pairs/pairs.h"

/* Zeroed shows everything between the two events. */
struct sprof_details_options {
	uint64_t before_ns, after_ns; /* time shown before event1 and after event2 */
	uint64_t hide_ns; /* between them, hides events that follow a shown line sooner than this */
	/* shows only events that have the same CPU, pid, tid or key as event1 or event2 */
	bool same_cpu, same_pid, same_tid, same_key;
	bool not_event1, not_event2; /* compare only with the other event; not both */
	size_t max_bytes;            /* memory for the ring; 0: SPROF_DETAILS_MAX_BYTES */
};

enum { SPROF_DETAILS_MAX_BYTES = 64 << 20 };

/*
 * Parses "all" or "-1ms,+2ms,1,2,hide<10us,samecpu,samepid,sametid,samekey". On false, the error
 * begins with "column N: ".
 */
SPROF_MUST_USE bool sprof_details_parse(
	const char *text, struct sprof_details_options *ret, struct sprof_error *err);

enum sprof_details_kind {
	SPROF_DETAILS_BEFORE,
	SPROF_DETAILS_EVENT1,
	SPROF_DETAILS_BETWEEN,
	SPROF_DETAILS_EVENT2,
	SPROF_DETAILS_AFTER,
	SPROF_DETAILS_END, /* ends the instance's lines; has no event */
};

struct sprof_details_line {
	enum sprof_details_kind kind;
	const struct sprof_trace_side *side; /* NULL for END */
	/*
	 * BEFORE: time until event1; AFTER: time since event2; EVENT1: 0; else time since the line
	 * above.
	 */
	uint64_t distance_ns;
	uint64_t hidden; /* events hidden between the line above and this one */
	/* EVENT1: the ring no longer holds the whole window. */
	bool incomplete;
};

struct sprof_details_listener {
	/*
	 * Called for each line of an instance, in order of time. The arguments are valid during the
	 * call.
	 */
	void (*line)(void *context, const struct sprof_trace_instance *instance,
		const struct sprof_details_line *line);
	void *context;
};

struct sprof_details;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_details *sprof_details_create(
	const struct sprof_details_options *options, const struct sprof_details_listener *listener);
void sprof_details_destroy(struct sprof_details *details);

/*
 * Adds an event to the ring, and shows the instances whose time after event2 has passed.
 * `oldest_ns`: time of the oldest open event1; older events may be dropped from the ring. Returns
 * false if out of memory; the event is then not kept.
 */
SPROF_MUST_USE bool sprof_details_add(
	struct sprof_details *details, const struct sprof_trace_side *side, uint64_t oldest_ns);

/*
 * Requests the lines of an instance. They come at once, or when the time after event2 has passed.
 * An instance without event2 (its event is NULL) is shown at once, up to the present. Returns false
 * if out of memory.
 */
SPROF_MUST_USE bool sprof_details_request(
	struct sprof_details *details, const struct sprof_trace_instance *instance);

/* Shows pending instances whose time has passed at now_ns; UINT64_MAX: all. */
void sprof_details_flush(struct sprof_details *details, uint64_t now_ns);

/* Bytes used by the ring; number of events dropped because the ring was full. */
size_t sprof_details_bytes(const struct sprof_details *details);
uint64_t sprof_details_evicted(const struct sprof_details *details);
