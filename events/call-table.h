/*
 * Figures of system calls: one row for each call, of each thread and from each stack if wanted.
 */
#ifndef SPROF_EVENTS_CALL_TABLE_H
#define SPROF_EVENTS_CALL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"
#include "events/calls.h"

enum { CALL_ERRORS = 6 }; /* different errors that are counted for each row */

struct sprof_call_error {
	int errnum;
	uint64_t count;
};

/* Threads and numbers are those of struct sprof_call. Times in ns. */
struct sprof_call_row {
	uint32_t thread; /* SPROF_CALLS_ALL_THREADS: of all */
	uint32_t arch;
	int64_t number;
	uint32_t stack;                 /* the sink's; 0: of all, or none */
	struct sprof_histogram latency; /* of calls that returned, or that their thread's end cut */
	uint64_t errors;
	struct sprof_call_error by_error[CALL_ERRORS]; /* in the order of their first sight */
	uint64_t over;                                 /* longer than the threshold */
	/* Not in the latencies: calls that began before tracing did, or go on after it. */
	uint64_t cut_off, cut_off_ns;
	uint64_t open; /* of these, those that go on */
};

#define SPROF_CALLS_ALL_THREADS UINT32_MAX

/* Zeroed is empty and valid. */
struct sprof_call_table {
	struct sprof_call_row *rows;
	size_t count, capacity;
	struct sprof_idmap index;
	uint64_t threshold_ns; /* 0: none */
	bool by_thread;        /* each thread has rows of its own */
	bool by_stack;         /* so has each stack */
};

void sprof_call_table_finish(struct sprof_call_table *table);
/* All rows count from 0 again. */
void sprof_call_table_reset(struct sprof_call_table *table);

/* False: no memory. */
SPROF_MUST_USE bool sprof_call_table_add(
	struct sprof_call_table *table, const struct sprof_call *call);
/* Adds all rows of another table, which has at least as many kinds of rows. False: no memory. */
SPROF_MUST_USE bool sprof_call_table_merge(
	struct sprof_call_table *into, const struct sprof_call_table *from);

/* By total time, the longest first; by_thread: the rows of a thread stay together. */
void sprof_call_table_sort(struct sprof_call_table *table);

#endif
