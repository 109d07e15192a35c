/*
 * How long the target's threads were stopped: a histogram of pauses with bounded memory and error.
 */
#ifndef SPROF_SAMPLER_STOP_PAUSES_H
#define SPROF_SAMPLER_STOP_PAUSES_H

#include <stdint.h>

enum {
	SPROF_PAUSE_STEPS = 32, /* per power of two: an error of 3 % at most */
	SPROF_PAUSE_BUCKETS = 64 * SPROF_PAUSE_STEPS,
};

/* Zeroed is empty. Times in ns. */
struct sprof_pauses {
	uint64_t count, total, max;
	uint64_t buckets[SPROF_PAUSE_BUCKETS];
};

void sprof_pauses_add(struct sprof_pauses *pauses, uint64_t ns);

/* The smallest time that at least `fraction` (0 to 1) of the pauses do not exceed; 0: no pauses. */
uint64_t sprof_pauses_quantile(const struct sprof_pauses *pauses, double fraction);

#endif
