/*
 * Which part of a profile to show, how and where: the options shared by recording and reading
 * commands, and how outputs follow from them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "cmd/cli/outputs.h"
#include "output/format.h"
#include "profile/classify/own-code.h"
#include "profile/edit/filter.h"

struct sprof_report_options {
	struct sprof_outputs outputs;
	const char *weight; /* the user's text; NULL: not given */
	struct sprof_filter filter;
	struct sprof_own_choice own;
	/* top, depth, nodes: 0: not given */
	struct sprof_output_options output;
	bool percentage_said, mode_said, no_pager;
};

/* The initial value. */
#define SPROF_REPORT_OPTIONS_DEFAULTS \
	{ \
		.output.min_percent = -1 \
	}

/* Groups of a command's table, at the struct's offset. */
extern const struct sprof_option sprof_report_options_filter_table[];
/* for all commands with tables of functions */
extern const struct sprof_option sprof_report_options_brief_table[];
/* whose functions the answer names */
extern const struct sprof_option sprof_report_options_own_table[];
extern const struct sprof_option sprof_report_options_waits_table[];
extern const struct sprof_option
	sprof_report_options_report_table[]; /* the other options of a report */
extern const struct sprof_option sprof_report_options_output_table[];
/* an undocumented --json, as the other commands have */
extern const struct sprof_option sprof_report_options_json_table[];
/* the kinds of samples, and of saved profiles; profiles of events have other kinds */
extern const struct sprof_option sprof_report_options_weight_table[];

/* Filters that are folded into others, and accepted without documentation; ends with a blank. */
#define SPROF_REPORT_OPTIONS_OLD "focus-dso ignore-dso hide-dso "

/* Whether an option was given that concerns only the text report. */
bool sprof_report_options_asks_for_text(const struct sprof_report_options *shown);

/* Finds a weight by name; NULL: the default. Does not know other tools' kinds. */
bool sprof_report_options_find_weight(
	const char *name, enum sprof_weight *ret, struct sprof_error *err) SPROF_MUST_USE;

/* The options of output/ for this profile, with the defaults of those that were not given. */
bool sprof_report_options_output_options(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, struct sprof_output_options *ret,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * Replaces the profile by its filtered part. An empty result is an error. On failure the profile is
 * unchanged.
 */
bool sprof_report_options_filter(const struct sprof_report_options *shown,
	struct sprof_profile **profile, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Writes all outputs, including stdout only if with_stdout. A report on a terminal goes through the
 * pager. Reports failures on stderr.
 */
struct sprof_written sprof_report_options_write(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, const struct sprof_output_options *options,
	bool with_stdout);

/*
 * For commands that count other values than time: selects a summary on a terminal, unless options
 * of the report are given, else the report. `is_quiet`: no summary beside files.
 */
SPROF_MUST_USE bool sprof_report_options_settle_answer(
	struct sprof_report_options *shown, bool is_quiet, struct sprof_error *err);

/*
 * For profiles with other kinds than time: sets the requested weight. Call it after setting the
 * kinds, before the first row.
 */
SPROF_MUST_USE bool sprof_report_options_settle_weight(const struct sprof_report_options *shown,
	struct sprof_profile *profile, struct sprof_error *err);

/* Writes all outputs. Sets *ret_exit if one of them can't be written. */
SPROF_MUST_USE bool sprof_report_options_write_all(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, int *ret_exit, struct sprof_error *err);
