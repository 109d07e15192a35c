/*
 * A log-linear histogram: every power of two is cut into equal steps. Deterministic, so tests can
 * state exact results.
 */
#include "sampler/stop/pauses.h"

static unsigned bucket_of(uint64_t ns)
{
	unsigned exponent;

	if (ns < SPROF_PAUSE_STEPS)
		return (unsigned)ns;
	exponent = 63u - (unsigned)__builtin_clzll(ns);
	return (exponent - 4) * SPROF_PAUSE_STEPS + (unsigned)(ns >> (exponent - 5)) -
		SPROF_PAUSE_STEPS;
}

/* The largest time that falls into the bucket. */
static uint64_t bucket_end(unsigned bucket)
{
	unsigned exponent = bucket / SPROF_PAUSE_STEPS + 4;
	uint64_t step = bucket % SPROF_PAUSE_STEPS + SPROF_PAUSE_STEPS;

	if (bucket < SPROF_PAUSE_STEPS)
		return bucket;
	return ((step + 1) << (exponent - 5)) - 1;
}

void sprof_pauses_add(struct sprof_pauses *pauses, uint64_t ns)
{
	pauses->count++;
	pauses->total += ns;
	if (ns > pauses->max)
		pauses->max = ns;
	pauses->buckets[bucket_of(ns)]++;
}

uint64_t sprof_pauses_quantile(const struct sprof_pauses *pauses, double fraction)
{
	double share = fraction * (double)pauses->count;
	uint64_t wanted = (uint64_t)share, seen = 0;

	if (!pauses->count)
		return 0;
	/* Round the rank up, at least 1. */
	if ((double)wanted < share || !wanted)
		wanted++;
	for (unsigned i = 0; i < SPROF_PAUSE_BUCKETS; i++) {
		seen += pauses->buckets[i];
		if (seen >= wanted)
			return bucket_end(i) < pauses->max ? bucket_end(i) : pauses->max;
	}
	return pauses->max;
}
