/*
 * Latencies by pair and, where asked for, by key: for an interval and for the whole run.
 */
#ifndef SPROF_EVENTS_DELAY_TABLE_H
#define SPROF_EVENTS_DELAY_TABLE_H

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"
#include "events/pairs.h"

/* Zeroed is empty. */
struct sprof_delays_part {
	struct sprof_histogram latencies; /* ns */
	uint64_t over, under;             /* instances that are above `than`, below `lower` */
};

struct sprof_delay_row {
	const struct sprof_event_item *item1, *item2;
	int64_t key;
	uint32_t thread;                   /* of event1: whose name may be shown beside the key */
	bool has_key;                      /* it is the row of one key */
	bool is_rest;                      /* with keys: the row of all that found no place */
	struct sprof_delays_part interval; /* since the last sprof_delay_table_end_interval() */
	struct sprof_delays_part run;      /* up to then */
};

/* Zeroed is empty and valid; by_key and max_rows are the caller's. */
struct sprof_delay_table {
	bool by_key;     /* one row per key, not only per pair */
	size_t max_rows; /* further keys share one row per pair; 0: SPROF_DELAY_ROWS */

	struct sprof_delay_row *rows; /* in the order of their first instance */
	size_t count, capacity;
	struct sprof_idmap index;
	uint64_t rest; /* instances that went to rows of the rest */
};

enum { SPROF_DELAY_ROWS = 10 * 1000 };

/* False: no memory; the instance is not counted. */
SPROF_MUST_USE bool sprof_delay_table_add(
	struct sprof_delay_table *table, const struct sprof_trace_instance *instance);

/* Adds the interval to the run, and begins the next one. False: no memory; rows that come later
 * still have theirs. */
SPROF_MUST_USE bool sprof_delay_table_end_interval(struct sprof_delay_table *table);

void sprof_delay_table_finish(struct sprof_delay_table *table);

/* The columns of a row. Times in ns; all 0 where nothing was counted. */
struct sprof_delay_figures {
	uint64_t calls, total, min, p50, p95, p99, max, over, under;
};

struct sprof_delay_figures sprof_delay_figures(const struct sprof_delays_part *part);

/*
 * The file of one pair's heatmap: "FILE-<event1>-<event2>.lat"; characters of the names that no file
 * name can have become '_'. The length as snprintf(3) counts it.
 */
int sprof_heatmap_path(
	const char *file, const struct sprof_trace_instance *instance, char *buffer, size_t size);

/* One line of it: the time of event2 and the latency, both in ns, and a newline. */
int sprof_heatmap_line(const struct sprof_trace_instance *instance, char *buffer, size_t size);

#endif
