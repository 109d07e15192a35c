/* The output formats of a profile: one file and one row of the table in format.c each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "output/out.h"
#include "profile/model/profile.h"
#include "profile/views/columns.h"
#include "profile/views/groups.h"

enum sprof_report_mode {
	SPROF_REPORT_MERGED,     /* all threads together */
	SPROF_REPORT_PER_THREAD, /* each thread separately */
	SPROF_REPORT_BOTH,
};

enum sprof_graphs_shown {
	SPROF_GRAPHS_BOTH,
	SPROF_GRAPHS_CALLERS, /* top down */
	SPROF_GRAPHS_CALLEES, /* bottom up */
};

struct sprof_output_options {
	enum sprof_weight weight;
	bool threads;                       /* folded: the thread is the first frame */
	enum sprof_report_mode report_mode; /* text */
	bool full;  /* text: all functions, untruncated names; overrides the limits below */
	size_t top; /* text: rows per table; 0: all */
	bool top_bounds_graphs; /* text: the same for the lines of each graph */
	/*
	 * text: hide functions and paths below this share; negative: depends on the number of
	 * samples
	 */
	double min_percent;
	size_t width;             /* text, summary: columns; 0: don't truncate names, or 80 */
	size_t height;            /* summary: available lines; 0: no limit */
	bool colour;              /* summary: with escape sequences */
	bool utf8;                /* summary: not limited to ASCII */
	const char *whole_report; /* summary: command that shows the full report; NULL: unknown */
	/* summary: arguments that profile the same program again: "-- ./server 80", "-p 4711";
	 * NULL: unknown */
	const char *again;
	/* summary: that command shows the last recording, which may be another one later */
	bool is_last;
	bool short_names; /* text: without template arguments and parameters */
	bool waits_only;  /* text: only the table of waits */
	/* text, json: show callers or callees of matching functions; NULL: don't */
	const char *callers, *callees;
	enum sprof_graphs_shown graphs; /* text */
	size_t depth;                   /* text, json: levels of the graphs; 0: all */
	bool unfold;                    /* text, json: don't fold recursion in the graphs */
	/* The flat profile's columns (text), and its first sort keys. Empty: the default. */
	struct sprof_column_list columns, sort;
	/*
	 * Groups by a label. text, json: each group is also shown separately; folded: the group is
	 * the first frame.
	 */
	const struct sprof_groups *groups; /* NULL: none */
	/*
	 * In a joined profile (profile/compare/diff.h), threads below this are the base; 0: not
	 * joined.
	 */
	uint32_t base_threads;
	size_t nodes;        /* dot, png: number of functions shown */
	bool colour_by_self; /* dot, png: colour by self instead of total */
	bool pack;           /* compress, if the format allows both; chosen by suffix */
	/* folded: add frames for a blocked thread's object and the lock's holder */
	bool wait_frames;
	bool absolute; /* difference: don't scale the base to the new weight */
	/* difference, text: a table of shares instead of the summary in time */
	bool shares;
	bool of_whole; /* text: shares are of the unfiltered profile */
};

/*
 * Wall time, all threads together, 30 rows, 100 columns; shares from 0.5 %, or by the number of
 * samples.
 */
struct sprof_output_options sprof_output_options_default(void);

struct sprof_format {
	const char *name; /* name for -f */
	/* suffix for -o, including the dot; or a whole file name, which may end in '*' */
	const char *suffix;
	const char *other_suffix; /* a second suffix; NULL: none */
	const char *summary;      /* for --help */
	bool compares;            /* can write the difference of a joined profile */
	const char *note;         /* a warning about a likely misinterpretation; NULL: none */
	bool wants_files;         /* needs link-time addresses: see sprof_profile_identify() */
	/*
	 * Writes the whole profile; locations must be named. Returns false if out of memory. Write
	 * errors stay in `out`.
	 */
	bool (*write)(const struct sprof_profile *profile,
		const struct sprof_output_options *options, struct sprof_out *out,
		struct sprof_error *err);
};

/* The table's rows in the order of --help; NULL after the last. */
const struct sprof_format *sprof_format_at(size_t index);
/* NULL if there is no such format. */
const struct sprof_format *sprof_format_by_name(const char *name);
/* The format with the longest suffix that matches the path. NULL: none. */
const struct sprof_format *sprof_format_by_path(const char *path);

extern const struct sprof_format sprof_format_callgrind;
extern const struct sprof_format sprof_format_chrome;
extern const struct sprof_format sprof_format_dot;
extern const struct sprof_format sprof_format_firefox;
extern const struct sprof_format sprof_format_folded;
extern const struct sprof_format sprof_format_html;
extern const struct sprof_format sprof_format_gmon;
extern const struct sprof_format sprof_format_json;
extern const struct sprof_format sprof_format_perf;
extern const struct sprof_format sprof_format_png;
extern const struct sprof_format sprof_format_pprof;
extern const struct sprof_format sprof_format_speedscope;
extern const struct sprof_format sprof_format_summary;
extern const struct sprof_format sprof_format_svg;
extern const struct sprof_format sprof_format_text;
