/* Statistics of system calls: one row per call; per thread and per stack if wanted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"
#include "events/syscalls/calls.h"

enum { CALL_ERRORS = 6 }; /* distinct errors counted per row */

struct sprof_call_error {
	int errnum;
	uint64_t count;
};

/* Thread ids and call numbers are those of struct sprof_call. Times in ns. */
struct sprof_call_row {
	uint32_t thread; /* SPROF_CALLS_ALL_THREADS: all threads together */
	uint32_t arch;
	int64_t number;
	uint32_t stack;                 /* the sink's id; 0: all stacks together, or none */
	struct sprof_histogram latency; /* calls that returned, or ended with their thread */
	uint64_t errors;
	struct sprof_call_error by_error[CALL_ERRORS]; /* in order of first occurrence */
	uint64_t over;                                 /* longer than the threshold */
	/* Not in `latency`: calls that began before tracing or were still open at its end. */
	uint64_t cut_off, cut_off_ns;
	uint64_t open; /* the open ones among them */
};

#define SPROF_CALLS_ALL_THREADS UINT32_MAX

/* Zeroed is empty and valid. */
struct sprof_call_table {
	struct sprof_call_row *rows;
	size_t count, capacity;
	struct sprof_idmap index;
	uint64_t threshold_ns; /* 0: none */
	bool by_thread;        /* rows per thread */
	bool by_stack;         /* rows per stack */
};

void sprof_call_table_finish(struct sprof_call_table *table);
/* Resets the figures of all rows to 0. */
void sprof_call_table_reset(struct sprof_call_table *table);

/* Whether its latency is known: it ended, and was seen from its begin. */
bool sprof_call_is_whole(const struct sprof_call *call);

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_call_table_add(
	struct sprof_call_table *table, const struct sprof_call *call);
/*
 * Adds all rows of another table, which must be divided at least as finely (by_thread, by_stack).
 * Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_call_table_merge(
	struct sprof_call_table *into, const struct sprof_call_table *from);

/* By total time, descending; with by_thread, the rows of a thread stay together. */
void sprof_call_table_sort(struct sprof_call_table *table);
