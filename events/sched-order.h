/*
 * Puts records of several sources into one order of time.
 *
 * A ring has its records in order of time, but they are read CPU by CPU. A record has its time before
 * it can be read. So what is older than the begin of the previous reading is complete, and is
 * released; what is younger waits for the next reading.
 */
#ifndef SPROF_EVENTS_SCHED_ORDER_H
#define SPROF_EVENTS_SCHED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/sched-record.h"

struct sprof_sched_ordered {
	struct sprof_sched_record record;
	size_t number; /* keeps the order of records of the same time */
};

/* Zeroed is empty. */
struct sprof_sched_order {
	struct sprof_sched_ordered *items;
	size_t count, capacity;
	size_t dropped;       /* for want of memory, not told yet */
	uint64_t released_ns; /* everything before this was given on */
	uint64_t late;        /* records that came after younger ones had been given on */
};

typedef void (*sprof_sched_taker)(void *data, const struct sprof_sched_record *record);

/* Copies the record. Without memory for it, it becomes a part of a gap. */
void sprof_sched_order_add(
	struct sprof_sched_order *order, const struct sprof_sched_record *record);

/*
 * Gives all records before `until_ns` to the taker, in order of time. A record that came too late
 * is given as a gap in its place.
 */
void sprof_sched_order_release(
	struct sprof_sched_order *order, uint64_t until_ns, sprof_sched_taker take, void *data);

void sprof_sched_order_finish(struct sprof_sched_order *order);

#endif
