/*
 * What limits the trust in a profile's figures.
 */
#ifndef SPROF_PROFILE_DOUBTS_H
#define SPROF_PROFILE_DOUBTS_H

#include <stddef.h>

#include "base/record.h"

enum sprof_doubt_kind {
	SPROF_DOUBT_SAMPLES,   /* so few that shares are uncertain; amount: their number */
	SPROF_DOUBT_STACKS,    /* percent of them that end early */
	SPROF_DOUBT_TICKS,     /* percent of them that were late or missed */
	SPROF_DOUBT_NAMES,     /* addresses without one */
	SPROF_DOUBT_FOLDED,    /* percent of samples that are [other] */
	SPROF_DOUBT_RUN_QUEUE, /* not known to this kernel */
	SPROF_DOUBT_COUNT,
};

struct sprof_doubt {
	enum sprof_doubt_kind kind;
	int weight; /* 1: worth saying, 2: it makes the figures poor */
	double amount;
};

/*
 * Fills in those that apply, the worst first; returns how many. `samples` is how many the figures are made of: all, or
 * those of busy threads.
 */
size_t sprof_doubts_find(const struct sprof_quality *quality, uint64_t samples,
	struct sprof_doubt ret[SPROF_DOUBT_COUNT]);

/* How many points (of 100) a share of 10 % may be off by, at 95 %: what that many samples can tell. */
double sprof_doubts_uncertainty(double samples);

#endif
