/*
 * Private to output/: the parts of the text report and what they share.
 */
#ifndef SPROF_OUTPUT_TEXT_H
#define SPROF_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/format.h"
#include "output/out.h"
#include "profile/view.h"

struct sprof_text {
	const struct sprof_profile *profile;
	struct sprof_output_options options;
	struct sprof_out *out;
	bool shows_stolen; /* it has a column */
};

/* Parts. The ones that derive a view can run out of memory: false. */
void sprof_text_header(const struct sprof_text *text);
bool sprof_text_modules(const struct sprof_text *text, struct sprof_error *err);
bool sprof_text_threads(const struct sprof_text *text, struct sprof_error *err);
bool sprof_text_flat(const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
/* The same of one group of rows. */
bool sprof_text_flat_of_group(
	const struct sprof_text *text, uint32_t group, struct sprof_error *err);
/* What a label tells apart: a table, and the flat profile of each. */
bool sprof_text_groups(const struct sprof_text *text, struct sprof_error *err);
bool sprof_text_callers(const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
bool sprof_text_callees(const struct sprof_text *text, uint32_t thread, struct sprof_error *err);
/* Nothing where nobody was blocked. */
bool sprof_text_waits(const struct sprof_text *text, uint32_t thread, struct sprof_error *err);

/* Instead of all of them, for a joined profile. */
bool sprof_text_diff(const struct sprof_text *text, struct sprof_error *err);

/* The columns that wall time is split into: those of the profile's mode. Returns how many. */
size_t sprof_text_columns(const struct sprof_text *text, const enum sprof_weight **ret);

/* What the kernel counted of the threads; nothing where that isn't known. */
void sprof_text_counters(const struct sprof_text *text, const bool *shown);

/* Whether rows have to do without the columns that tell the least: samples, threads, part of the counters. */
bool sprof_text_is_narrow(const struct sprof_text *text);

/* The title of a part: "flat profile, by wall time". */
void sprof_text_title(const struct sprof_text *text, const char *part);

/*
 * Ends a line that has `column` characters so far with a name from the target, made harmless, and
 * shortened in its middle when the line would get too long.
 */
void sprof_text_end_with_name(const struct sprof_text *text, size_t column, const char *name);

/* The same with a function's name, short if the options say so, and a suffix that stays whole. */
void sprof_text_end_with_function(
	const struct sprof_text *text, size_t column, const char *name, const char *suffix);

/* Whether a share is too small to be shown. */
bool sprof_text_is_small(const struct sprof_text *text, double percent);

/* What was left out: "12 more functions under 0.5 %" and "3 more functions below the first 30". */
void sprof_text_left_out(
	const struct sprof_text *text, const char *what, size_t small, size_t beyond);

#endif
