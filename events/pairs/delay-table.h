/* Latencies by pair of events and, if wanted, by key; for an interval and for the whole run. */
#pragma once

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"
#include "events/pairs/pairs.h"

/* Zeroed is empty. */
struct sprof_delays_part {
	struct sprof_histogram latencies; /* ns */
	uint64_t over, under;             /* instances above `than`, and below `lower` */
};

struct sprof_delay_row {
	const struct sprof_event_item *item1, *item2;
	int64_t key;
	uint32_t thread;                   /* event1's thread, for the name beside the key */
	bool has_key;                      /* the row is for a single key */
	bool is_rest;                      /* the row of all keys beyond max_rows */
	struct sprof_delays_part interval; /* since the last sprof_delay_table_end_interval() */
	struct sprof_delays_part run;      /* before `interval` */
};

/* Set by_key and max_rows; the rest zeroed is empty and valid. */
struct sprof_delay_table {
	bool by_key; /* one row per pair and key, not only per pair */
	/* rows per table; further keys share one row per pair; 0: SPROF_DELAY_ROWS */
	size_t max_rows;

	struct sprof_delay_row *rows; /* in order of first occurrence */
	size_t count, capacity;
	struct sprof_idmap index;
	uint64_t rest; /* instances counted in the is_rest rows */
};

enum { SPROF_DELAY_ROWS = 10 * 1000 };

/* Returns false if out of memory; the instance is then not counted. */
SPROF_MUST_USE bool sprof_delay_table_add(
	struct sprof_delay_table *table, const struct sprof_trace_instance *instance);

/* Adds the interval to the run and begins a new one. Returns false if out of memory; the rows not
 * yet added keep their interval. */
SPROF_MUST_USE bool sprof_delay_table_end_interval(struct sprof_delay_table *table);

void sprof_delay_table_finish(struct sprof_delay_table *table);

/* The columns of a row. Times in ns; all 0 if the row is empty. */
struct sprof_delay_figures {
	uint64_t calls, total, min, p50, p95, p99, max, over, under;
};

struct sprof_delay_figures sprof_delay_figures(const struct sprof_delays_part *part);
