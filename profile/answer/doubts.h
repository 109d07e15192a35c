/* Limits of a profile's accuracy. */
#pragma once

#include <stddef.h>

#include "base/record.h"

enum sprof_doubt_kind {
	SPROF_DOUBT_SAMPLES,   /* too few for certain shares; amount: their number */
	SPROF_DOUBT_STACKS,    /* percent of stacks that end early */
	SPROF_DOUBT_TICKS,     /* percent of ticks late or missed */
	SPROF_DOUBT_NAMES,     /* addresses without a name */
	SPROF_DOUBT_ESTIMATE,  /* percent of running time that other threads' samples share out */
	SPROF_DOUBT_FOLDED,    /* percent of samples that are [other] */
	SPROF_DOUBT_RUN_QUEUE, /* the kernel does not provide it */
	SPROF_DOUBT_COUNT,
};

struct sprof_doubt {
	enum sprof_doubt_kind kind;
	int weight; /* 1: worth a note, 2: the figures are unreliable */
	double amount;
};

/*
 * Writes the doubts that apply, worst first, and returns their number. `samples`: number of samples
 * behind the figures, of all threads or of busy ones.
 */
size_t sprof_doubts_find(const struct sprof_quality *quality, uint64_t samples,
	struct sprof_doubt ret[SPROF_DOUBT_COUNT]);

/*
 * A sampling rate that would have given clearly more samples, if there were very few; 0: there were
 * enough, or no rate would help.
 */
unsigned sprof_doubts_better_rate(const struct sprof_quality *quality, uint64_t samples);

/* Lower bound of a share (0 to 1) of that many samples at 95 % confidence (Wilson's interval). */
double sprof_doubts_least(double share, double samples);

/* Error in percentage points of a 10 % share at 95 % confidence with that many samples. */
double sprof_doubts_uncertainty(double samples);
