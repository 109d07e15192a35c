/* The report of `sprof calls`: tables and paths as text, JSON, a timeline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/functions/activation-books.h"
#include "output/calls/windows.h"
#include "output/out.h"
#include "profile/model/owners.h"
#include "profile/model/profile.h"

enum sprof_calls_column {
	SPROF_CALLS_FUNCTION,
	SPROF_CALLS_CALLS,
	SPROF_CALLS_TOTAL,
	SPROF_CALLS_SELF,
	SPROF_CALLS_MIN,
	SPROF_CALLS_AVG,
	SPROF_CALLS_P50,
	SPROF_CALLS_P95,
	SPROF_CALLS_P99,
	SPROF_CALLS_MAX,
	SPROF_CALLS_REC,
	SPROF_CALLS_COLUMNS,
};

struct sprof_calls_report {
	const struct sprof_profile *profile; /* for names of threads */
	const struct sprof_activation_books *books;
	char *const *names; /* by function number */
	size_t name_count;
	const char *source;                        /* "breakpoints" */
	const char *cost;                          /* of a call, in words; NULL: not known */
	const struct sprof_calls_windows *windows; /* NULL: every call was seen */
	uint64_t begin_ns, end_ns;
	uint64_t lost;        /* lost records */
	uint64_t gone;        /* how often a breakpoint was removed for a moment */
	bool has_four;        /* limited to the four debug registers of a thread */
	uint32_t unwatched;   /* threads that could not be watched on some CPU */
	uint32_t not_watched; /* functions that could not be watched, counted once per process */
	/* by name: why it is not watched; NULL: it is */
	const char *const *refusals;
	enum sprof_calls_column sort;
	bool by_thread;
	/* Keys by thread number, if rows are by key; NULL: by thread. */
	const int64_t *keys;
	size_t key_count;
	const char *key_name;                  /* NULL: "thread" */
	const struct sprof_owners *key_owners; /* keys are tids; NULL: arbitrary values */
	size_t top;                            /* number of functions to show; 0: all */
	size_t width;                          /* of the terminal; 0: no limit */
};

/* Rows of functions in display order, each followed by its callers' rows. */
struct sprof_calls_rows {
	const struct sprof_activation_row **items;
	size_t count;
	size_t hidden; /* number of functions not shown */
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_calls_rows_init(
	const struct sprof_calls_report *report, struct sprof_calls_rows *ret);
void sprof_calls_rows_finish(struct sprof_calls_rows *rows);

/* A figure of a row; times in ns. */
double sprof_calls_figure(const struct sprof_activation_row *row, enum sprof_calls_column column);
/* "p95"; NULL ends the table. */
extern const char *const sprof_calls_column_names[];
/* "left"; for JSON and timelines. */
const char *sprof_calls_end_name(enum sprof_activation_end end);
/* The name of a function, or of a special value. */
const char *sprof_calls_name(const struct sprof_calls_report *report, uint32_t function);
/* The name of the thread with this tid as key; NULL: none. */
const char *sprof_calls_key_thread(const struct sprof_calls_report *report, int64_t key);
/* NULL: unknown, or rows are by key. */
const struct sprof_profile_thread *sprof_calls_thread(
	const struct sprof_calls_report *report, uint32_t thread);

/* Return false if out of memory. */
SPROF_MUST_USE bool sprof_calls_table(
	const struct sprof_calls_report *report, struct sprof_out *out);
SPROF_MUST_USE bool sprof_calls_json(
	const struct sprof_calls_report *report, struct sprof_out *out);

/* A graph for Graphviz: calls of each function, and from each caller. */
SPROF_MUST_USE bool sprof_calls_dot(const struct sprof_calls_report *report, struct sprof_out *out);

/* The tree of listed calls, with times. */
SPROF_MUST_USE bool sprof_calls_tree(
	const struct sprof_calls_report *report, struct sprof_out *out);
/* The same calls as Chrome trace events. */
SPROF_MUST_USE bool sprof_calls_timeline(
	const struct sprof_calls_report *report, struct sprof_out *out);
/* The paths into and out of the wanted functions, call by call; `wanted` is indexed by function. */
SPROF_MUST_USE bool sprof_calls_paths(
	const struct sprof_calls_report *report, const bool *wanted, struct sprof_out *out);
/* Writes a note if the list is incomplete, or not all calls were seen. */
void sprof_calls_note_limit(const struct sprof_calls_report *report, struct sprof_out *out);
