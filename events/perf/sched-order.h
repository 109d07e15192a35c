/*
 * Merges records of several sources in order of time.
 *
 * Each ring is in order of time, but the rings are read CPU by CPU. A record's time precedes the
 * moment from which it can be read. So records older than the start of the previous reading are
 * complete and are released; younger ones wait for the next reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf/sched-record.h"

struct sprof_sched_ordered {
	struct sprof_sched_record record;
	size_t number; /* keeps the order of records with equal times */
};

/* Zeroed is empty. */
struct sprof_sched_order {
	struct sprof_sched_ordered *items;
	size_t count, capacity;
	size_t dropped;       /* records dropped for lack of memory, not reported yet */
	uint64_t released_ns; /* everything before this was released */
	uint64_t late;        /* records that arrived after younger ones were released */
};

typedef void (*sprof_sched_taker)(void *data, const struct sprof_sched_record *record);

/* Copies the record. If out of memory, it becomes part of a gap. */
void sprof_sched_order_add(
	struct sprof_sched_order *order, const struct sprof_sched_record *record);

/*
 * Passes all records before `until_ns` to the taker, in order of time. A record that arrived too
 * late is replaced by a gap.
 */
void sprof_sched_order_release(
	struct sprof_sched_order *order, uint64_t until_ns, sprof_sched_taker take, void *data);

void sprof_sched_order_finish(struct sprof_sched_order *order);
