/*
 * Streams of events in a short notation, and what the engine makes of them in another.
 *
 * A stream: TIME@THREAD:NAME(VALUES)/CPU, apart by blanks; values and CPU may be left out. NAME is one
 * of on, off, enter, exit, sig, fork, end, wakeup, profile. "!TIME" says that records before TIME were
 * lost. Thread N of the process 100 has the tid 100 + N.
 *
 * The result, apart by blanks, in the order in which the engine says it:
 *     a=>b 5 k3        an instance of 5 ns with key 3; "5!" is above --than, "5_" below --lower
 *     a~replaced k3    an event without a partner: replaced, gap, open, second
 *     trigger          an item with `trigger` has matched
 * With details, after the instance: <D:a before, {a event1 ({? if the ring lost some), D:a between,
 * }D:b event2, >D:a after, [N] in front of a line for N hidden events, "." at the end.
 */
#pragma once

#include "events/pairs/pairs.h"

enum { RECORDED_TEXT = 4096 };

struct recorded {
	const char *name;      /* of the case */
	const char *events[6]; /* -e */
	const char *key;       /* -k */
	bool cycle;
	const char *than, *lower;
	size_t max_open;
	const char *detail; /* NULL: no details */
	size_t max_bytes;
	bool stays_open; /* the stream doesn't end: what is open is not unpaired */
	const char *stream, *expected;
};

/* Runs the case and compares; prints the name if they differ. */
void recorded_check(const struct recorded *recorded);

/* A list of these -e, which must be right. */
void recorded_list(const char *const *events, struct sprof_event_list *ret);

/* read, write, close, nanosleep, openat; else -1. */
bool recorded_number_of(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
	struct sprof_error *err);

/* The next event of a stream. False: it is over. `values` has room for SPROF_TRACE_MAX_VALUES; a gap
 * has the time of its end and the type SPROF_TRACE_TYPES. */
bool recorded_next(
	const char **stream, struct sprof_trace_value *values, struct sprof_trace_event *ret);
