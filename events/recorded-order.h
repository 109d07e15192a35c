/*
 * Events that wait for their place in the order of time: the rings of different CPUs are read one
 * after the other, so an older event may come behind a younger one.
 */
#ifndef SPROF_EVENTS_RECORDED_ORDER_H
#define SPROF_EVENTS_RECORDED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/event-type.h"
#include "events/tracepoint-values.h"

struct sprof_recorded {
	struct sprof_trace_event event; /* its fields are set when it is given */
	uint64_t number;                /* events of one moment keep their order */
	struct sprof_tracepoint_values values;
	struct sprof_trace_event
		*copy; /* of another source's event: it has the fields; else NULL */
};

/* Zeroed is empty and valid. */
struct sprof_recorded_order {
	struct sprof_recorded *items;
	size_t count, capacity;
	uint64_t next_number;
};

/* Its values are to be filled in. Valid until the next call. NULL: no memory. */
struct sprof_recorded *sprof_recorded_order_add(
	struct sprof_recorded_order *order, const struct sprof_trace_event *event);
/* Another source's event, with its fields. False: no memory. */
SPROF_MUST_USE bool sprof_recorded_order_add_copy(
	struct sprof_recorded_order *order, const struct sprof_trace_event *event);

/*
 * Gives all events from before a moment to the taker, in the order of time. False: the taker has
 * said so of one.
 */
SPROF_MUST_USE bool sprof_recorded_order_release(struct sprof_recorded_order *order,
	uint64_t until_ns, bool (*take)(void *data, const struct sprof_recorded *recorded),
	void *data);

void sprof_recorded_order_finish(struct sprof_recorded_order *order);

#endif
