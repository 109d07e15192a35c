/*
 * The rate that a budget allows. Two figures decide: the usual cost of a tick sets the pace; the
 * overspent time is paid back within about a second. So the pace is steady, one expensive tick
 * changes little, two in a row change it at once, and the sum stays right.
 */
#include "sampler/loop/schedule.h"

#include "base/clock.h"
#include "base/numbers.h"

enum {
	LONGEST_NS = SPROF_NS_PER_S, /* never slower than once a second */
	FIRST_COST_NS = 100 * 1000,
	MEMORY = 8, /* ticks */
	SPIKE = 4,  /* a tick this many times as expensive is an exception */
};

/* While a debt is paid back, new ticks get at least this part of the share. */
static const double least_part = 0.25;

void sprof_budget_init(struct sprof_budget *budget, double share, uint64_t period)
{
	*budget = (struct sprof_budget){
		.share = share,
		.shortest = period,
		.cost = FIRST_COST_NS,
	};
}

void sprof_budget_begin(struct sprof_budget *budget, uint64_t now, uint64_t spent)
{
	budget->seen_ns = now;
	budget->spent_ns = spent;
}

uint64_t sprof_budget_period(struct sprof_budget *budget, uint64_t now, uint64_t spent)
{
	const double cost = (double)(spent - budget->spent_ns), limit = budget->cost * SPIKE;
	const double least = cost < budget->last ? cost : budget->last;
	double share = budget->share, period;

	budget->cost += ((cost < limit ? cost : limit) - budget->cost) / MEMORY;
	if (budget->cost < least)
		budget->cost = least;
	budget->last = cost;
	budget->debt += cost - share * (double)(now - budget->seen_ns);
	/* Savings of quiet hours don't pay for a minute of heavy sampling. */
	if (budget->debt < -share * SPROF_NS_PER_S)
		budget->debt = -share * SPROF_NS_PER_S;
	sprof_budget_begin(budget, now, spent);
	if (budget->debt > 0)
		share -= budget->debt / SPROF_NS_PER_S;
	if (share < budget->share * least_part)
		share = budget->share * least_part;
	period = budget->cost / share;
	return sprof_most(budget->shortest, period < LONGEST_NS ? (uint64_t)period : LONGEST_NS);
}
