/*
 * How often to sample without exceeding a share of the time. The caller supplies the costs and the
 * clock.
 */
#ifndef SPROF_SAMPLER_LOOP_BUDGET_H
#define SPROF_SAMPLER_LOOP_BUDGET_H

#include <stdint.h>

/* All times in ns of any one clock. */
struct sprof_budget {
	double share;      /* of the time, that sampling may use; 0: no limit */
	uint64_t shortest; /* the period asked for */
	uint64_t longest;
	uint64_t seen_ns, spent_ns; /* at the last tick */
	double cost, last;          /* of a usual tick; of the last one */
	double debt;                /* spent beyond the share; negative: what is left of it */
};

void sprof_budget_init(struct sprof_budget *budget, double share, uint64_t period);

/* Counts from here. */
void sprof_budget_begin(struct sprof_budget *budget, uint64_t now, uint64_t spent);

/* A tick is over; `spent` is the total since the clock began. Returns the period from now on. */
uint64_t sprof_budget_period(struct sprof_budget *budget, uint64_t now, uint64_t spent);

#endif
