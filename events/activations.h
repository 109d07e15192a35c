/*
 * How often and how long functions run: makes calls of the events of their begins and returns, over
 * all threads.
 */
#ifndef SPROF_EVENTS_ACTIVATIONS_H
#define SPROF_EVENTS_ACTIVATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/activation-books.h"
#include "events/activation-estimate.h"
#include "events/event-type.h"

struct sprof_activations_options {
	bool by_thread;    /* rows for each thread */
	size_t keep_limit; /* this many calls are kept one by one */
	bool counts_only;  /* the source tells of no returns */
	/* Each call that has a tag, as soon as it is known to be over. NULL: none has. */
	void (*ended)(void *data, uint32_t tag, enum sprof_activation_end end);
	void *data;
};

struct sprof_activations;

/* NULL: no memory. */
SPROF_MUST_USE struct sprof_activations *sprof_activations_create(
	const struct sprof_activations_options *options);

/*
 * PROBE, RETURN, EXIT, EXEC and FORK, in the order of time; others are ignored. The first value of
 * the first two is the function's number. False: no memory.
 */
SPROF_MUST_USE bool sprof_activations_take(
	struct sprof_activations *activations, const struct sprof_trace_event *event);

/* The event's thread begins a call, or ends it; an end without a begin is counted. An sp of
 * 0 is not known: the innermost call of the function is meant. False: no memory. */
SPROF_MUST_USE bool sprof_activations_begin(struct sprof_activations *activations,
	const struct sprof_trace_event *event, const struct sprof_activation_call *call);
SPROF_MUST_USE bool sprof_activations_end(struct sprof_activations *activations,
	const struct sprof_trace_event *event, const struct sprof_activation_call *call);

/* The stack pointer at the begin of the call that a PROBE or a RETURN is of. */
uint64_t sprof_activation_sp(const struct sprof_trace_event *event);

/* Events before this time were lost: what was under way has no time. False: no memory. */
SPROF_MUST_USE bool sprof_activations_gap(struct sprof_activations *activations, uint64_t until_ns);

/* Nothing is told until something begins: what is under way is so at an EDGE. False: no memory. */
SPROF_MUST_USE bool sprof_activations_edge(struct sprof_activations *activations, uint64_t now_ns);

/* The end of the run: all that goes on is under way. False: no memory. */
SPROF_MUST_USE bool sprof_activations_close(struct sprof_activations *activations, uint64_t now_ns);

/* Adds an estimate to what was counted. False: no memory. */
SPROF_MUST_USE bool sprof_activations_add(
	struct sprof_activations *activations, const struct sprof_activation_estimate *estimate);

/* Its rows have no order. Complete after the close. */
const struct sprof_activation_books *sprof_activations_books(
	const struct sprof_activations *activations);

/* NULL is accepted. */
void sprof_activations_destroy(struct sprof_activations *activations);

#endif
