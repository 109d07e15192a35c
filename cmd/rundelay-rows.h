/*
 * The rows of a report on run-queue delays, for the table and for JSON.
 */
#ifndef SPROF_CMD_RUNDELAY_ROWS_H
#define SPROF_CMD_RUNDELAY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/rundelay.h"

/* What is shown. */
struct sprof_rundelay_view {
	const struct sprof_rundelay *rundelay;
	bool total;      /* the whole run, or the present interval */
	bool per_thread; /* rows of each thread */
	/* globs with commas between them, one of which the names of threads match; NULL: all do */
	const char *filter;
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
	struct sprof_rundelay_row *items; /* those of all threads last */
	size_t count, capacity;
	size_t threads;             /* that are shown, if threads were asked for */
	struct sprof_delay_set sum; /* of all threads that are shown */
};

/* Whether a text can be a view's filter. */
SPROF_MUST_USE bool sprof_rundelay_filter_check(const char *filter, struct sprof_error *err);

/* False: no memory. Finish them in both cases. */
SPROF_MUST_USE bool sprof_rundelay_rows_collect(
	const struct sprof_rundelay_view *view, struct sprof_rundelay_rows *ret);
void sprof_rundelay_rows_finish(struct sprof_rundelay_rows *rows);

/* Number and sum of a row's delays. */
uint64_t sprof_rundelay_row_count(const struct sprof_rundelay_row *row);
uint64_t sprof_rundelay_row_total_ns(const struct sprof_rundelay_row *row);
/* Whether only number and sum are known. */
bool sprof_rundelay_row_is_derived(const struct sprof_rundelay_row *row);

/* The thread that has waited for a CPU longest, and still does. NULL: none. */
const struct sprof_delay_thread *sprof_rundelay_waiter(
	const struct sprof_rundelay_view *view, uint64_t *ret_waited_ns);

/* "preempted": what the delay began with. */
const char *sprof_rundelay_row_start(const struct sprof_rundelay_row *row);

/* "perf switch records + schedstat". */
const char *sprof_rundelay_source_name(enum sprof_rundelay_source source);

#endif
