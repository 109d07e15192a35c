/*
 * Private to output/: the parts of the text report and what they share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "output/briefs.h"
#include "output/format.h"
#include "output/out.h"
#include "output/table.h"
#include "profile/views/view.h"

struct sprof_text {
	const struct sprof_profile *profile;
	struct sprof_output_options options;
	struct sprof_out *out;
	const struct sprof_briefs *briefs; /* NULL: whole names */
	bool shows_stolen;                 /* show a column for it */
	const bool *idle;                  /* by row: sprof_profile_waits_for_work() */
};

/*
 * The parts of the report. Return false if out of memory; only parts that compute a view can fail.
 */
void sprof_text_title_of_run(const struct sprof_text *text);
/* How the figures were measured, and how exact they are. */
void sprof_text_quality(const struct sprof_text *text);
SPROF_MUST_USE bool sprof_text_modules(const struct sprof_text *text, struct sprof_error *err);
SPROF_MUST_USE bool sprof_text_threads(const struct sprof_text *text, struct sprof_error *err);
/* For figures other than time: where in the program they arise. */
SPROF_MUST_USE bool sprof_text_sites(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
SPROF_MUST_USE bool sprof_text_flat(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
/* The same for one group of rows. */
SPROF_MUST_USE bool sprof_text_flat_of_group(
	const struct sprof_text *text, uint32_t group, struct sprof_error *err);
/* The groups by a label: a table, and each group's flat profile. */
SPROF_MUST_USE bool sprof_text_groups(const struct sprof_text *text, struct sprof_error *err);
SPROF_MUST_USE bool sprof_text_callers(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
SPROF_MUST_USE bool sprof_text_callees(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
/* Direct callers and callees, one block per function. */
SPROF_MUST_USE bool sprof_text_neighbours(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
/* The paths to and from the functions named in the options. */
SPROF_MUST_USE bool sprof_text_paths(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
/* Writes nothing if no thread was blocked. */
SPROF_MUST_USE bool sprof_text_waits(
	const struct sprof_text *text, uint32_t thread, struct sprof_error *err);

/* For a joined profile, instead of all other parts: the summary, and the table of shares. */
SPROF_MUST_USE bool sprof_text_comparison(const struct sprof_text *text, struct sprof_error *err);
SPROF_MUST_USE bool sprof_text_diff(const struct sprof_text *text, struct sprof_error *err);

/* The columns that split wall time in this profile. Returns their number. */
size_t sprof_text_columns(const struct sprof_text *text, const enum sprof_weight **ret);

/* The kernel's counts of the threads; nothing if they are unknown. */
void sprof_text_counters(const struct sprof_text *text, const bool *shown);

/* Whether rows omit the least informative columns: samples, threads, part of the counters. */
bool sprof_text_is_narrow(const struct sprof_text *text);

/* The title of a part: "callers of each function, by wall time". */
void sprof_text_title(const struct sprof_text *text, const char *part);

/* ", with idle time", if the view has such time; else "". The summary's shares are without it. */
const char *sprof_text_with_idle(const struct sprof_text *text, const struct sprof_view *view);

/* The title of a part with shares: "flat profile, by wall time: shares are of 6.4 s". */
void sprof_text_title_of(const struct sprof_text *text, const char *part,
	const struct sprof_view *view, uint64_t whole);

/* A cell with a value of the report's weight. */
void sprof_text_value(
	const struct sprof_text *text, struct sprof_row *row, const char *title, uint64_t value);

/*
 * Ends a line of `column` characters so far with a name from the target, sanitised, and shortened
 * in the middle to fit. A NULL name means that there was no memory for it.
 */
void sprof_text_end_with_name(const struct sprof_text *text, size_t column, const char *name);

/*
 * The same for a function's name, short if the options say so, with a suffix that is never
 * shortened.
 */
void sprof_text_end_with_function(
	const struct sprof_text *text, size_t column, const char *name, const char *suffix);

/* A tree of paths, one line per node, without node 0. */
struct sprof_text_tree {
	const struct sprof_text *text;
	const struct sprof_graph *graph;
	/* Writes a line's figures, up to the name. */
	void (*write_figures)(
		const struct sprof_text_tree *tree, size_t node, struct sprof_row *row);
	uint64_t whole; /* the 100 % of shares */
	size_t top;     /* lines of depth 1; 0: no limit */
	/*
	 * the lightest line that is shown (0: no limit), and how many lines as light as that are
	 * shown
	 */
	uint64_t lightest;
	size_t ties;
	size_t indent; /* of lines of depth 1 */
};

void sprof_text_write_tree(const struct sprof_text_tree *tree);

/* "MARK [x18]" for a function with 18 folded calls; the mark alone for a single call. */
void sprof_text_calls(char *ret, size_t size, const char *mark, uint32_t calls);

/* The 100 % of shares; `shown` is the sum of the figures shown. */
uint64_t sprof_text_whole(const struct sprof_text *text, uint64_t shown);

/* Whether a share is too small to show. */
bool sprof_text_is_small(const struct sprof_text *text, double percent);

/* The rows of a table that were seen so far. */
struct sprof_text_rows {
	size_t shown, small, beyond;
};

/* Counts a row; returns whether to show it: it is not too small, nor behind enough others. */
bool sprof_text_takes(const struct sprof_text *text, struct sprof_text_rows *rows, double percent);

/*
 * Says how much is hidden: "12 more functions under 0.5 %", "3 more functions below the first 30".
 */
void sprof_text_left_out(
	const struct sprof_text *text, const char *what, size_t small, size_t beyond);
