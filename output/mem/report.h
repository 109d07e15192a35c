/* The output of `sprof mem`, in each of its formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "memory/watch.h"
#include "output/out.h"

/* Which mappings to show. */
enum sprof_mem_parts {
	SPROF_MEM_NONE,
	SPROF_MEM_LIBS, /* files, with their shared part */
	SPROF_MEM_MAPS, /* all mappings */
};

struct sprof_mem_report {
	const struct sprof_memory_watch *watch;
	uint64_t begin_ns, end_ns, period_ns;
	/* RSS in bytes that a process reached between readings; 0: unknown */
	uint64_t unseen_peak;
	enum sprof_mem_parts parts;
	enum sprof_memory_moment moment; /* the time of `parts` */
	size_t width;                    /* of the terminal; 0: no limit */
};

/* "RSS", "anon"; in machine formats "rss", "anon". */
const char *sprof_mem_metric_name(enum sprof_memory_metric metric);
const char *sprof_mem_metric_key(enum sprof_memory_metric metric);

/* All of these report lack of memory as an error of `out`. */
void sprof_mem_report_text(const struct sprof_mem_report *report, struct sprof_out *out);
void sprof_mem_report_json(const struct sprof_mem_report *report, struct sprof_out *out);
/* RSS, PSS and USS of all processes together over time, and each one's RSS. */
void sprof_mem_report_svg(const struct sprof_mem_report *report, struct sprof_out *out);
/* The picture, and the tables below it. */
void sprof_mem_report_html(const struct sprof_mem_report *report, struct sprof_out *out);

/* One line per process and reading; the first function writes the header. */
void sprof_mem_csv_head(struct sprof_out *out);
void sprof_mem_csv_rows(const struct sprof_memory_watch *watch, uint64_t begin_ns, uint64_t now_ns,
	struct sprof_out *out);
