/*
 * The formats of a profile: each has one file and one row of the table in format.c.
 */
#ifndef SPROF_OUTPUT_FORMAT_H
#define SPROF_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "output/out.h"
#include "profile/columns.h"
#include "profile/groups.h"
#include "profile/profile.h"

enum sprof_report_mode {
	SPROF_REPORT_MERGED,     /* all threads together */
	SPROF_REPORT_PER_THREAD, /* each thread separately */
	SPROF_REPORT_BOTH,
};

struct sprof_output_options {
	enum sprof_weight weight;
	bool threads;                       /* folded: the first frame is the thread */
	enum sprof_report_mode report_mode; /* text */
	bool full;  /* text: every function, every name whole; overrides the limits below */
	size_t top; /* text: rows per table; 0: all */
	/* text: hides functions and paths below this share; below 0: as the samples allow */
	double min_percent;
	size_t width;             /* text, summary: columns; 0: names are never shortened, or 80 */
	size_t height;            /* summary: lines that fit; 0: any number */
	bool colour;              /* summary: with escape sequences */
	bool utf8;                /* summary: not only ASCII */
	const char *whole_report; /* summary: the command for the whole report; NULL: unknown */
	/* summary: the profiled program, as sprof's commands take it: "-- ./server 80", "-p 4711";
	 * NULL: unknown */
	const char *again;
	bool is_last; /* summary: that command shows the last recording, whichever that is then */
	bool short_names; /* text: without template arguments and parameters */
	bool waits_only;  /* text: no view except the table of waits */
	/* text, json: callers, callees of functions that match; NULL: not asked for */
	const char *callers, *callees;
	size_t depth; /* text, json: levels of the graphs; 0: all */
	bool unfold;  /* text, json: each call of a recursion has its own line in the graphs */
	/* The flat profile: its columns, in text, and what it is sorted by first. Empty: the default. */
	struct sprof_column_list columns, sort;
	/* Groups by a label. text, json: each is also shown separately; folded: the first frame. */
	const struct sprof_groups *groups; /* NULL: none */
	/* In a joined profile (profile/diff.h) threads below this are the base; 0: not joined. */
	uint32_t base_threads;
	size_t nodes;        /* dot, png: functions in the picture */
	bool colour_by_self; /* dot, png: not by total */
	bool pack;           /* compress, in a format that allows both; the suffix decides */
	bool wait_frames;    /* folded: a blocked thread's object and its holder are frames */
	bool absolute;       /* difference: the base is not scaled to the new weight */
	bool shares;         /* difference, text: a table of shares, not the answer in time */
	bool of_whole; /* text: shares are of the profile before filters, not of what is left */
};

/* Wall time, merged, 30 rows, 100 columns, from 0.5 % or what the samples allow. */
struct sprof_output_options sprof_output_options_default(void);

struct sprof_format {
	const char *name; /* for -f */
	/* for -o, with its dot; or a whole file name, which may end in '*' */
	const char *suffix;
	const char *other_suffix; /* a second one; NULL: none */
	const char *summary;      /* for --help */
	bool compares;            /* can write a joined profile as a difference */
	const char *note;         /* what a reader may take for something else; NULL: nothing */
	bool wants_files;         /* writes link-time addresses: see sprof_profile_identify() */
	/*
	 * Writes the whole profile; all locations must be named. False: no memory. `out` keeps
	 * errors of writing.
	 */
	bool (*write)(const struct sprof_profile *profile,
		const struct sprof_output_options *options, struct sprof_out *out,
		struct sprof_error *err);
};

/* The table's rows in the order of --help; NULL behind the last one. */
const struct sprof_format *sprof_format_at(size_t index);
/* NULL: no format has that name. */
const struct sprof_format *sprof_format_by_name(const char *name);
/* The format with the longest suffix that the path ends with. NULL: none does. */
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

#endif
