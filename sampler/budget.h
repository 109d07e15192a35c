/*
 * How often to sample so that it costs no more than a share of the time. The costs are the caller's
 * figures, and so is the clock.
 */
#ifndef SPROF_SAMPLER_BUDGET_H
#define SPROF_SAMPLER_BUDGET_H

#include <stdint.h>

/* All times in ns of any one clock. */
struct sprof_budget {
	double share;      /* of the time, that may be spent; 0: any */
	uint64_t shortest; /* the period that was asked for */
	uint64_t longest;
	uint64_t seen_ns, spent_ns; /* at the last tick */
	double cost, last; /* of a tick, as it usually is; of the last one */
	double debt; /* what was spent beyond the share; negative: what is left of it */
};

void sprof_budget_init(struct sprof_budget *budget, double share, uint64_t period);

/* Counts from here. */
void sprof_budget_begin(struct sprof_budget *budget, uint64_t now, uint64_t spent);

/* A tick is over, and so much has been spent since the beginning of time: the period from now on. */
uint64_t sprof_budget_period(struct sprof_budget *budget, uint64_t now, uint64_t spent);

#endif
