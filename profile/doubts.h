/*
 * What limits the trust in a profile's figures.
 */
#ifndef SPROF_PROFILE_DOUBTS_H
#define SPROF_PROFILE_DOUBTS_H

#include <stddef.h>

#include "base/record.h"

enum sprof_doubt_kind {
	SPROF_DOUBT_SAMPLES,   /* too few for certain shares; amount: their number */
	SPROF_DOUBT_STACKS,    /* percent of stacks that end early */
	SPROF_DOUBT_TICKS,     /* percent of ticks late or missed */
	SPROF_DOUBT_NAMES,     /* addresses without a name */
	SPROF_DOUBT_ESTIMATE,  /* percent of running time that other threads' samples share out */
	SPROF_DOUBT_FOLDED,    /* percent of samples that are [other] */
	SPROF_DOUBT_RUN_QUEUE, /* not measured by this kernel */
	SPROF_DOUBT_COUNT,
};

struct sprof_doubt {
	enum sprof_doubt_kind kind;
	int weight; /* 1: worth saying, 2: it makes the figures poor */
	double amount;
};

/*
 * Fills in the doubts that apply, the worst first; returns how many. `samples`: how many samples
 * the figures are made of: all, or those of busy threads.
 */
size_t sprof_doubts_find(const struct sprof_quality *quality, uint64_t samples,
	struct sprof_doubt ret[SPROF_DOUBT_COUNT]);

/*
 * A rate that would have given clearly more samples, where there were very few; 0: there were enough,
 * or no rate does.
 */
unsigned sprof_doubts_better_rate(const struct sprof_quality *quality, uint64_t samples);

/* What a share (0 to 1) in that many samples is at least, at 95 % (Wilson's interval). */
double sprof_doubts_least(double share, double samples);

/* The points (of 100) that a share of 10 % may be off by, at 95 %, with that many samples. */
double sprof_doubts_uncertainty(double samples);

#endif
