/*
 * Call counts and durations of functions, over all threads, computed from events at function begin
 * and return.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/functions/activation-books.h"
#include "events/functions/activation-estimate.h"
#include "events/event-type.h"

struct sprof_activations_options {
	bool by_thread;    /* rows per thread */
	size_t keep_limit; /* length of the list of calls */
	bool counts_only;  /* the source reports no returns */
	/* Called for each call with a tag, once its end is known. May be NULL. */
	void (*ended)(void *data, uint32_t tag, enum sprof_activation_end end);
	void *data;
};

struct sprof_activations;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_activations *sprof_activations_create(
	const struct sprof_activations_options *options);

/*
 * Takes PROBE, RETURN, EXIT, EXEC and FORK events in order of time and ignores others. The first
 * value of PROBE and RETURN is the function's number. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_activations_take(
	struct sprof_activations *activations, const struct sprof_trace_event *event);

/* Begins or ends a call of the event's thread. An end without a start is counted as unpaired. sp 0
 * means unknown: the innermost call of the function. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activations_begin(struct sprof_activations *activations,
	const struct sprof_trace_event *event, const struct sprof_activation_call *call);
SPROF_MUST_USE bool sprof_activations_end(struct sprof_activations *activations,
	const struct sprof_trace_event *event, const struct sprof_activation_call *call);

/*
 * A thread jumps to this place of its own stack: the calls below are left. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_activations_leave(
	struct sprof_activations *activations, uint32_t thread, uint64_t sp, uint64_t now_ns);

/* The stack pointer at the start of the call, from a PROBE or a RETURN event. */
uint64_t sprof_activation_sp(const struct sprof_trace_event *event);

/*
 * Records before until_ns were lost: open calls lose their durations. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_activations_gap(struct sprof_activations *activations, uint64_t until_ns);

/* Calls that end from now on count as `weight` calls (1 unless called). */
void sprof_activations_weigh(struct sprof_activations *activations, uint64_t weight);

/* A watching window ends: open calls end as EDGE. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activations_edge(struct sprof_activations *activations, uint64_t now_ns);

/* The run ends: open calls end as OPEN. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activations_close(struct sprof_activations *activations, uint64_t now_ns);

/* Adds extrapolated figures. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activations_add(
	struct sprof_activations *activations, const struct sprof_activation_estimate *estimate);

/* The rows are unordered. Complete after close. */
const struct sprof_activation_books *sprof_activations_books(
	const struct sprof_activations *activations);

/* NULL is accepted. */
void sprof_activations_destroy(struct sprof_activations *activations);
