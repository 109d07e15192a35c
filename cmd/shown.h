/*
 * What of a profile is shown, and how: the options that run, attach and report share.
 */
#ifndef SPROF_CMD_SHOWN_H
#define SPROF_CMD_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/command.h"
#include "output/format.h"
#include "profile/filter.h"

struct sprof_shown {
	struct sprof_filter filter;
	enum sprof_report_mode report_mode;
	size_t top, depth;  /* 0: not said */
	double min_percent; /* below 0: not said */
	bool by_total, full, waits, threads, wait_frames, short_names, no_pager, mode_said;
};

/* With this as the initial value. */
#define SPROF_SHOWN_DEFAULTS \
	{ \
		.min_percent = -1 \
	}

/* Groups of a command's table, at the struct's offset. Those about time and processes are report's. */
extern const struct sprof_option sprof_shown_filter_table[];
extern const struct sprof_option sprof_shown_report_table[];

/* Whether an option was given that only the text report knows. */
bool sprof_shown_asks_for_text(const struct sprof_shown *shown);

/* What output/ needs of the options. */
struct sprof_output_options sprof_shown_output_options(
	const struct sprof_shown *shown, enum sprof_weight weight);

/* Replaces the profile by what the filter leaves of it; nothing left is an error. On failure it stays. */
bool sprof_shown_filter(
	const struct sprof_shown *shown, struct sprof_profile **profile, struct sprof_error *err);

#endif
