/*
 * What changed between two sets of runs, as data: in total, by function, and the function that is
 * the cause.
 */
#pragma once

#include "profile/compare/diff.h"

/* On which side a function appears. */
enum sprof_presence {
	SPROF_PRESENT_BOTH,
	SPROF_PRESENT_NEW,         /* only after */
	SPROF_PRESENT_GONE,        /* only before */
	SPROF_PRESENT_INLINED,     /* inlined everywhere after, but not before */
	SPROF_PRESENT_NOT_INLINED, /* the reverse */
};

/* One side's figure: its run's, or the median of its runs. */
struct sprof_compared {
	double median, low, high;
};

/* With single runs, all rows, including those without a function, add up to the whole. */
struct sprof_comparison_row {
	/* SPROF_PROFILE_NONE: idle time, or with `is_queue` time without a CPU */
	uint32_t function;
	bool is_queue;
	struct sprof_compared sides[SPROF_SIDES];
	enum sprof_presence presence;
	bool is_sure;   /* the change is statistically significant */
	bool is_likely; /* it is significant, or would be with more runs */
	bool is_cause;  /* can be the cause: not a function of libc */
};

struct sprof_comparison {
	struct sprof_comparison_row *rows; /* by change, largest first */
	size_t count;
	struct sprof_compared whole[SPROF_SIDES];
	size_t runs[SPROF_SIDES];
	bool is_sure; /* of the whole; always false for single runs: their variation is unknown */
	double cpu_samples; /* of the side with fewer */
	bool are_few;       /* there are several runs, but too few for significance */
	size_t cause;       /* index in `rows`; row_count: none */
};

/*
 * Compares the two sides of a joined profile. A function's time includes that of the system
 * libraries that it calls. Returns false if out of memory. The caller finishes *ret.
 */
SPROF_MUST_USE bool sprof_comparison_build(const struct sprof_profile *joined,
	uint32_t base_threads, enum sprof_weight weight, struct sprof_comparison *ret,
	struct sprof_error *err);
void sprof_comparison_finish(struct sprof_comparison *comparison);

static inline double sprof_comparison_change(const struct sprof_comparison_row *row)
{
	return row->sides[SPROF_SIDE_NEW].median - row->sides[SPROF_SIDE_BASE].median;
}
