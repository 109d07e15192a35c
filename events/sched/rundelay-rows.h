/* Rows of a report on run-queue delays, for the table and for JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/sched/rundelay.h"

/* What to show. */
struct sprof_rundelay_view {
	const struct sprof_rundelay *rundelay;
	bool total;      /* the whole run instead of the current interval */
	bool per_thread; /* rows per thread */
	/* globs for thread names, separated by commas; NULL: all threads */
	const char *filter;
	const pid_t *tids; /* only these threads; NULL: all */
	size_t tid_count;
	uint64_t than_ns; /* 0: no threshold */
	uint64_t now_ns, duration_ns;
};

struct sprof_rundelay_row {
	const struct sprof_delay_thread *thread; /* NULL: all */
	enum sprof_delay_kind kind;
	const struct sprof_delay_counts *figures;
};

/* Zeroed is empty. */
struct sprof_rundelay_rows {
	struct sprof_rundelay_row *items; /* rows over all threads come last */
	size_t count, capacity;
	size_t threads;             /* number of threads shown */
	struct sprof_delay_set sum; /* over all threads shown */
};

/* Checks a filter's syntax. */
SPROF_MUST_USE bool sprof_rundelay_filter_check(const char *filter, struct sprof_error *err);

/* Whether the view has this thread. */
bool sprof_rundelay_shows(
	const struct sprof_rundelay_view *view, const struct sprof_delay_thread *thread);

/* Returns false if out of memory. Finish them in both cases. */
SPROF_MUST_USE bool sprof_rundelay_rows_collect(
	const struct sprof_rundelay_view *view, struct sprof_rundelay_rows *ret);
void sprof_rundelay_rows_finish(struct sprof_rundelay_rows *rows);

/* Number and sum of a row's delays. */
uint64_t sprof_rundelay_row_count(const struct sprof_rundelay_row *row);
uint64_t sprof_rundelay_row_total_ns(const struct sprof_rundelay_row *row);
/* Whether only number and sum are known. */
bool sprof_rundelay_row_is_derived(const struct sprof_rundelay_row *row);
/* Whether its thread ended after records were lost, and before its sums were read again. */
bool sprof_rundelay_row_is_short(const struct sprof_rundelay_row *row);

/*
 * Of the threads shown, the one with the longest wait for a CPU that is still going on. NULL: none.
 */
const struct sprof_delay_thread *sprof_rundelay_waiter(
	const struct sprof_rundelay_view *view, uint64_t *ret_waited_ns);

/* "preempted": how the delay began. */
const char *sprof_rundelay_row_start(const struct sprof_rundelay_row *row);

/* "perf switch records + schedstat". */
const char *sprof_rundelay_source_name(enum sprof_rundelay_source source);
