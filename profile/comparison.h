/*
 * What changed from some runs to others, in facts: in all, by function, and which function is the
 * cause.
 */
#ifndef SPROF_PROFILE_COMPARISON_H
#define SPROF_PROFILE_COMPARISON_H

#include "profile/diff.h"

/* How a function is there on either side. */
enum sprof_presence {
	SPROF_PRESENT_BOTH,
	SPROF_PRESENT_NEW,         /* it has no sample before */
	SPROF_PRESENT_GONE,        /* it has none now */
	SPROF_PRESENT_INLINED,     /* it is inlined everywhere now, and was not before */
	SPROF_PRESENT_NOT_INLINED, /* the other way round */
};

/* A figure of one side: that of its run, or the median of its runs. */
struct sprof_compared {
	double median, low, high;
};

/* The functions' rows and the idle one add up to the whole, of single runs. */
struct sprof_comparison_row {
	uint32_t function; /* SPROF_PROFILE_NONE: idle time, which is no function's */
	struct sprof_compared sides[SPROF_SIDES];
	enum sprof_presence presence;
	bool is_sure;  /* chance alone would hardly make that difference */
	bool is_cause; /* may be the cause: it is no part of libc */
};

struct sprof_comparison {
	struct sprof_comparison_row *rows; /* by change, the largest first */
	size_t count;
	struct sprof_compared whole[SPROF_SIDES];
	size_t runs[SPROF_SIDES];
	bool is_sure; /* of the whole; of single runs: never, how much they vary is not known */
	bool are_few; /* several runs, but no order of so few is more than chance */
	size_t cause; /* its row; the count: there is none */
};

/*
 * Compares the sides of a joined profile. A function has its own code's time, and that of the system's
 * libraries that it calls. False: no memory. The caller finishes *ret.
 */
SPROF_MUST_USE bool sprof_comparison_build(const struct sprof_profile *joined,
	uint32_t base_threads, enum sprof_weight weight, struct sprof_comparison *ret,
	struct sprof_error *err);
void sprof_comparison_finish(struct sprof_comparison *comparison);

/* None of one side's runs is among the other's. */
bool sprof_compared_runs_differ(const struct sprof_compared sides[SPROF_SIDES]);

static inline double sprof_comparison_change(const struct sprof_comparison_row *row)
{
	return row->sides[SPROF_SIDE_NEW].median - row->sides[SPROF_SIDE_BASE].median;
}

#endif
