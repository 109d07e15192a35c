/*
 * Sorts events by time: the rings of the CPUs are read one after the other, so an older event may
 * be read after a younger one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/event-type.h"
#include "events/recorded/tracepoint-values.h"

struct sprof_recorded {
	struct sprof_trace_event event; /* its fields are set when it is passed on */
	uint64_t number;                /* keeps the order of events with equal times */
	struct sprof_tracepoint_values values;
	struct sprof_trace_event *copy; /* an event of another source, with its fields; else NULL */
};

/* Zeroed is empty and valid. */
struct sprof_recorded_order {
	struct sprof_recorded *items;
	size_t count, capacity;
	uint64_t next_number;
};

/*
 * Adds an event, whose values the caller fills in. Valid until the next call. Returns NULL if out
 * of memory.
 */
struct sprof_recorded *sprof_recorded_order_add(
	struct sprof_recorded_order *order, const struct sprof_trace_event *event);
/* Adds a copy of another source's event, with its fields. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_recorded_order_add_copy(
	struct sprof_recorded_order *order, const struct sprof_trace_event *event);

/*
 * Passes all events before a time to the taker, in order of time. Returns false if the taker did.
 */
SPROF_MUST_USE bool sprof_recorded_order_release(struct sprof_recorded_order *order,
	uint64_t until_ns, bool (*take)(void *data, const struct sprof_recorded *recorded),
	void *data);

void sprof_recorded_order_finish(struct sprof_recorded_order *order);
