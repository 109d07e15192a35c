/* The report of `sprof heap --exact`: text, or JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/heap/allocations.h"
#include "output/heap/sites.h"
#include "output/out.h"
#include "profile/model/profile.h"

struct sprof_heap_report {
	const struct sprof_profile *profile; /* with named locations */
	const struct sprof_heap_books *books;
	const struct sprof_allocations_counts *counts;
	struct sprof_heap_rows *rows; /* sorted as needed */
	enum sprof_heap_kind kind;    /* the figure that stacks are sorted by */
	bool is_chosen;               /* the user has requested it */
	const char *source;           /* "breakpoints" */
	const char *places;           /* what was watched; NULL: "functions" */
	size_t functions;             /* number of watched functions */
	uint64_t begin_ns, end_ns;
	uint64_t lost;     /* lost records */
	size_t top;        /* number of stacks; 0: all */
	size_t width;      /* of the terminal; 0: no limit */
	bool live;         /* show unfreed blocks with their age */
	uint64_t older_ns; /* only blocks at least this old */
	bool sizes;        /* show the distribution of sizes */
	bool short_names;
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_report_text(
	const struct sprof_heap_report *report, struct sprof_out *out);
/* One JSON object. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_report_json(
	const struct sprof_heap_report *report, struct sprof_out *out);
