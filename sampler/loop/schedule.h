/*
 * When the next tick is. Deadlines are absolute, with jitter; a late tick is not made up for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All times in ns of any one clock. */
struct sprof_schedule {
	uint64_t period;
	uint64_t slot;     /* the undisturbed grid of ticks */
	uint64_t deadline; /* the slot plus its jitter: when to wake up */
	uint64_t ticks, late, missed;
	uint64_t ahead; /* ticks before the deadline that need no wake-up */
	uint64_t random;
};

/* The first deadline is `first`; `seed` decides the jitter. */
void sprof_schedule_init(
	struct sprof_schedule *schedule, uint64_t period, uint64_t first, uint64_t seed);

/* After a time without ticks: the next one is at `first`. */
void sprof_schedule_restart(struct sprof_schedule *schedule, uint64_t first);

/*
 * Takes a tick at `now`, at or after the deadline: counts it, and sets the next deadline, in the
 * future. Slots that have passed meanwhile count as missed.
 */
void sprof_schedule_advance(struct sprof_schedule *schedule, uint64_t now);

/*
 * Right after a tick: moves the next slot by the difference of the periods, but not closer than
 * half of the new period from now. Nothing is missed by that.
 */
void sprof_schedule_set_period(struct sprof_schedule *schedule, uint64_t period, uint64_t now);

/* Whether a tick has used a quarter of its period: then it begins nothing that can wait. */
bool sprof_schedule_is_long(uint64_t begin, uint64_t period, uint64_t now);

/*
 * The last tick was from `begin` to `end`. The next one is at least half of that time after `end`,
 * but at most two periods: a tick stops threads, and they need time to run.
 */
void sprof_schedule_rest(struct sprof_schedule *schedule, uint64_t begin, uint64_t end);

/*
 * Between two ticks: none to `most` of the next ticks, at random, need no wake-up, because timers
 * take their samples. They count as taken.
 */
void sprof_schedule_spare(struct sprof_schedule *schedule, uint64_t most);
/*
 * A good `most` for a period: up to 30 ms, which is enough at high rates; at low ones 8 periods,
 * but at most 100 ms, so that a thread that falls asleep is noticed.
 */
uint64_t sprof_schedule_most_spared(uint64_t period);
/* The ones still to come need a wake-up after all. */
void sprof_schedule_resume(struct sprof_schedule *schedule, uint64_t now);
/*
 * Accounts for a look between deadlines: counts it and all ticks up to now; those still to come
 * need a wake-up. Slots that have passed meanwhile count as in sprof_schedule_advance().
 */
void sprof_schedule_settle(struct sprof_schedule *schedule, uint64_t now);

/* budget.c: how often to sample without exceeding a share of the time. Times as above. */
struct sprof_budget {
	double share;               /* of the time, that sampling may use; not 0 */
	uint64_t shortest;          /* the period asked for */
	uint64_t seen_ns, spent_ns; /* at the last tick */
	double cost, last;          /* of a usual tick; of the last one */
	double debt;                /* spent beyond the share; negative: what is left of it */
};

void sprof_budget_init(struct sprof_budget *budget, double share, uint64_t period);

/* Counts from here. */
void sprof_budget_begin(struct sprof_budget *budget, uint64_t now, uint64_t spent);

/* A tick is over; `spent` is the total since the clock began. Returns the period from now on. */
uint64_t sprof_budget_period(struct sprof_budget *budget, uint64_t now, uint64_t spent);
