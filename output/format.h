/*
 * The formats a profile can be written in: one file and one row of the table in format.c for each.
 */
#ifndef SPROF_OUTPUT_FORMAT_H
#define SPROF_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "output/out.h"
#include "profile/groups.h"
#include "profile/profile.h"

enum sprof_report_mode {
	SPROF_REPORT_MERGED,     /* all threads together */
	SPROF_REPORT_PER_THREAD, /* each thread for itself */
	SPROF_REPORT_BOTH,
};

struct sprof_output_options {
	enum sprof_weight weight;
	bool threads;                       /* folded: the thread is the first frame */
	enum sprof_report_mode report_mode; /* text */
	bool full;          /* text: every function, every name whole; ignores the rest */
	size_t top;         /* text: rows per table; 0: all */
	double min_percent; /* text: functions and paths below this share are left out; below 0: as the samples allow */
	size_t width;       /* text, summary: columns; 0: names are never shortened, or 80 */
	size_t height;      /* summary: lines there is room for; 0: any number */
	bool colour;        /* summary: with escape sequences */
	bool utf8;          /* summary: not only ASCII */
	const char *whole_report; /* summary: the command that shows it; NULL: none is known */
	bool short_names;   /* text: without template arguments and parameters */
	bool waits_only;    /* text: of the views, only the table of waits */
	size_t depth;       /* text: levels of the graphs; 0: all */
	bool sort_by_total; /* text: the flat profile by total, not by self */
	/* What a label tells apart: text, json: also each group for itself; folded: the first frame. */
	const struct sprof_groups *groups; /* NULL: none */
	/* Of a joined profile (profile/diff.h): threads below this one are the base; 0: it is none. */
	uint32_t base_threads;
	bool pack;     /* of a format that can be packed or not: by the suffix */
	bool wait_frames; /* folded: what a blocked thread waits for is a frame, and who has it */
	bool absolute; /* of a difference: the base is not scaled to the weight of the new one */
};

/* Wall time, merged, 30 rows, from 0.5 % or what the samples allow, 100 columns. */
struct sprof_output_options sprof_output_options_default(void);

struct sprof_format {
	const char *name;    /* of -f */
	const char *suffix;  /* of -o, with its dot; or a whole file name, with a '*' at its end or not */
	const char *other_suffix; /* a second one; NULL: none */
	const char *summary; /* for --help */
	bool compares;       /* it can write a joined profile as a difference */
	bool wants_files;    /* it writes link-time addresses: see sprof_profile_identify() */
	/*
	 * Writes the whole profile, all of whose locations are named. False on lack of memory;
	 * errors of writing are out's own.
	 */
	bool (*write)(const struct sprof_profile *profile,
		const struct sprof_output_options *options, struct sprof_out *out,
		struct sprof_error *err);
};

/* The table's rows in the order of --help; NULL behind the last. */
const struct sprof_format *sprof_format_at(size_t index);
/* NULL: there is none of that name. */
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
