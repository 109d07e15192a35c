/*
 * The tick grid: arithmetic only. Does not read a clock: the caller does.
 *
 * Each deadline is random within the period around its slot. Every moment is equally likely to be
 * sampled, so sampling can't lock to a period of the target (stratified sampling). The slots
 * themselves keep the mean rate exact.
 */
#include "sampler/loop/schedule.h"

#include "base/clock.h"
#include "base/numbers.h"

/* After a long tick, the target gets half of the tick's time, but at most MOST_PERIODS periods. */
enum { REST = 2, MOST_PERIODS = 2 };

enum { LONG_SHARE = 4 }; /* of a period */

enum {
	SPARED_PERIODS = 8,
	SPARED_NS = 30 * SPROF_NS_PER_MS,
	MOST_SPARED_NS = 100 * SPROF_NS_PER_MS
};

void sprof_schedule_init(
	struct sprof_schedule *schedule, uint64_t period, uint64_t first, uint64_t seed)
{
	*schedule = (struct sprof_schedule){
		.period = period,
		.slot = first,
		.deadline = first,
		.random = seed | 1,
	};
}

void sprof_schedule_restart(struct sprof_schedule *schedule, uint64_t first)
{
	schedule->slot = schedule->deadline = first;
	schedule->ahead = 0;
}

/* Slots have passed beyond those that were planned. */
static void miss(struct sprof_schedule *schedule, uint64_t slots)
{
	schedule->missed += slots;
	schedule->slot += slots * schedule->period;
}

/* The deadline, from the slot. */
static void plan(struct sprof_schedule *schedule, uint64_t now)
{
	const uint64_t jitter = schedule->period;

	schedule->deadline = schedule->slot;
	schedule->deadline += sprof_random(&schedule->random) % jitter - jitter / 2;
	if (schedule->deadline <= now)
		schedule->deadline = now + 1;
}

void sprof_schedule_advance(struct sprof_schedule *schedule, uint64_t now)
{
	schedule->ticks += 1 + schedule->ahead;
	if (now >= schedule->deadline + (1 + schedule->ahead) * schedule->period)
		schedule->late++;
	schedule->slot += schedule->period;
	if (now >= schedule->slot)
		miss(schedule, (now - schedule->slot) / schedule->period + 1);
	schedule->ahead = 0;
	plan(schedule, now);
}

void sprof_schedule_set_period(struct sprof_schedule *schedule, uint64_t period, uint64_t now)
{
	const uint64_t soonest = now + period / 2;

	if (period == schedule->period)
		return;
	schedule->slot += period - schedule->period;
	if (schedule->slot < soonest)
		schedule->slot = soonest;
	schedule->period = period;
	plan(schedule, now);
}

bool sprof_schedule_is_long(uint64_t begin, uint64_t period, uint64_t now)
{
	return now >= begin + period / LONG_SHARE;
}

void sprof_schedule_rest(struct sprof_schedule *schedule, uint64_t begin, uint64_t end)
{
	const uint64_t wanted = (end - begin) / REST, most = MOST_PERIODS * schedule->period;
	const uint64_t rested = end + (wanted < most ? wanted : most);

	if (schedule->deadline < rested)
		schedule->deadline = rested;
}

static void move(struct sprof_schedule *schedule, uint64_t ticks)
{
	schedule->ahead += ticks;
	schedule->slot += ticks * schedule->period;
	schedule->deadline += ticks * schedule->period;
}

void sprof_schedule_spare(struct sprof_schedule *schedule, uint64_t most)
{
	move(schedule, sprof_random(&schedule->random) % (most + 1));
}

uint64_t sprof_schedule_most_spared(uint64_t period)
{
	const uint64_t usual = SPARED_NS / period, most = MOST_SPARED_NS / period;

	if (usual >= SPARED_PERIODS)
		return usual;
	return most < SPARED_PERIODS ? most : SPARED_PERIODS;
}

void sprof_schedule_resume(struct sprof_schedule *schedule, uint64_t now)
{
	uint64_t ticks = 0;

	if (schedule->deadline > now)
		ticks = (schedule->deadline - now) / schedule->period;
	move(schedule, -(ticks < schedule->ahead ? ticks : schedule->ahead));
}

void sprof_schedule_settle(struct sprof_schedule *schedule, uint64_t now)
{
	sprof_schedule_resume(schedule, now);
	schedule->ticks += 1 + schedule->ahead;
	schedule->ahead = 0;
	/* In a rest, slots pass before the deadline. */
	if (now > schedule->slot)
		miss(schedule, (now - schedule->slot) / schedule->period);
}
