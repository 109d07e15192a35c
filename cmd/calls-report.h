/*
 * What `sprof calls` says: tables and paths for people, JSON, a timeline.
 */
#ifndef SPROF_CMD_CALLS_REPORT_H
#define SPROF_CMD_CALLS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/calls-windows.h"
#include "cmd/owners.h"
#include "events/activation-books.h"
#include "output/out.h"
#include "profile/profile.h"

/* What a row of the table has. */
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
	const struct sprof_profile *profile; /* names of threads */
	const struct sprof_activation_books *books;
	char *const *names; /* of the functions by their numbers */
	size_t name_count;
	const char *source;      /* "uprobes" */
	const char *cost;        /* of a call, in words; NULL: not known */
	const char *why_counted; /* and not timed, if that is so; NULL: not known */
	const struct sprof_calls_windows *windows; /* NULL: every call was seen */
	uint64_t begin_ns, end_ns;
	uint64_t lost;         /* records */
	uint64_t gone;         /* breakpoints, for a moment */
	bool has_four;         /* a thread has debug registers for that many functions */
	uint32_t unwatched;    /* threads that could not be watched on a CPU */
	uint32_t not_watched;  /* functions that could not be watched */
	uint32_t return_depth; /* returns of deeper calls are not told; 0: all are */
	enum sprof_calls_column sort;
	bool by_thread;
	/* What threads stand for: a key each; NULL: themselves. */
	const int64_t *keys;
	size_t key_count;
	const char *key_name;                  /* NULL: "thread" */
	const struct sprof_owners *key_owners; /* keys are ids of threads; NULL: of anything */
	size_t top;                            /* functions that are shown; 0: all */
	size_t width;                          /* of the terminal; 0: any */
};

/* The rows of functions in their order, each followed by those of its callers. */
struct sprof_calls_rows {
	const struct sprof_activation_row **items;
	size_t count;
	size_t hidden; /* functions that are not among them */
};

/* False: no memory. */
SPROF_MUST_USE bool sprof_calls_rows_init(
	const struct sprof_calls_report *report, struct sprof_calls_rows *ret);
void sprof_calls_rows_finish(struct sprof_calls_rows *rows);

/* A figure of a row; times in ns. */
double sprof_calls_figure(const struct sprof_activation_row *row, enum sprof_calls_column column);
/* "p95"; NULL ends the table. */
extern const char *const sprof_calls_column_names[];
/* "left"; of a call's end in JSON and timelines. */
const char *sprof_calls_end_name(enum sprof_activation_end end);
/* The name of a function, or of what stands for no function. */
const char *sprof_calls_name(const struct sprof_calls_report *report, uint32_t function);
/* The thread that a key names; NULL: none. */
const char *sprof_calls_key_thread(const struct sprof_calls_report *report, int64_t key);
/* NULL: not known, or a key. */
const struct sprof_profile_thread *sprof_calls_thread(
	const struct sprof_calls_report *report, uint32_t thread);

/* All false: no memory. */
SPROF_MUST_USE bool sprof_calls_table(
	const struct sprof_calls_report *report, struct sprof_out *out);
SPROF_MUST_USE bool sprof_calls_json(
	const struct sprof_calls_report *report, struct sprof_out *out);

/* Of the calls that are kept: which functions called which, with their times. */
SPROF_MUST_USE bool sprof_calls_tree(
	const struct sprof_calls_report *report, struct sprof_out *out);
/* The same calls as events of a Chrome trace. */
SPROF_MUST_USE bool sprof_calls_timeline(
	const struct sprof_calls_report *report, struct sprof_out *out);
/*
 * The ways into and out of the functions that are wanted, one call after the other; `wanted` has
 * one for each function.
 */
SPROF_MUST_USE bool sprof_calls_paths(
	const struct sprof_calls_report *report, const bool *wanted, struct sprof_out *out);
/* That the calls kept are not all, or that not all were seen, if so. */
void sprof_calls_tell_limit(const struct sprof_calls_report *report, struct sprof_out *out);

#endif
