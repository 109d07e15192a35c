/*
 * What `sprof heap --exact` says: text for people, or JSON.
 */
#ifndef SPROF_CMD_HEAP_REPORT_H
#define SPROF_CMD_HEAP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/heap-sites.h"
#include "events/allocations.h"
#include "output/out.h"
#include "profile/profile.h"

struct sprof_heap_report {
	const struct sprof_profile *profile; /* whose locations are named */
	const struct sprof_heap_books *books;
	const struct sprof_allocations_counts *counts;
	struct sprof_heap_rows *rows; /* sorted as is needed */
	enum sprof_heap_kind kind;    /* by which stacks are shown */
	bool is_chosen;               /* the user has asked for it */
	const char *source;           /* "breakpoints" */
	const char *places;           /* what was watched; NULL: "functions" */
	size_t functions;             /* that were watched */
	uint64_t begin_ns, end_ns;
	uint64_t lost;     /* records */
	size_t top;        /* stacks; 0: all */
	size_t width;      /* of the terminal; 0: any */
	bool live;         /* what is not freed, with its age */
	uint64_t older_ns; /* only what is that old */
	bool sizes;        /* how large what was allocated is */
	bool short_names;
};

/* False: no memory. */
SPROF_MUST_USE bool sprof_heap_report_text(
	const struct sprof_heap_report *report, struct sprof_out *out);
/* One object. False: no memory. */
SPROF_MUST_USE bool sprof_heap_report_json(
	const struct sprof_heap_report *report, struct sprof_out *out);

#endif
