/*
 * The patience of a tick: how long it waits for stops. It waits for the threads of one CPU, then of
 * the next. A wait without a stop is taken off the rest of the tick's patience. Thus many CPUs
 * whose threads can't stop (the group has used up its cpu.max) cost no more than one. Does not
 * handle threads: its caller says what is expected of them.
 */
#include "sampler/stop/stops.h"

#include "base/clock.h"

enum {
	/* A thread not stopped by then waits for a CPU, or uninterruptibly. Ticks go on. */
	MOST_NS = 20 * SPROF_NS_PER_MS,
	/* The usual period of cpu.max: a group that has used up its share can stop once in it. */
	THOROUGH_NS = 100 * SPROF_NS_PER_MS,
	/* A timer before the kernel's own must be set in hardware: that takes as long as a stop. */
	LEAST_VAIN_NS = 5 * SPROF_NS_PER_MS,
	/* A running thread stops within a quarter of that. */
	LEAST_NS = 200 * 1000,
};

static uint64_t at_most(uint64_t ns)
{
	return ns < MOST_NS ? ns : MOST_NS;
}

void sprof_patience_begin(struct patience *patience, uint64_t now, uint64_t period, bool thorough)
{
	uint64_t vain = period / 2 > LEAST_VAIN_NS ? period / 2 : LEAST_VAIN_NS;

	if (patience->deadline_ns) {
		patience->deadline_ns += now - patience->since_ns;
		return;
	}
	*patience = (struct patience){
		.deadline_ns = now + at_most(thorough ? MOST_NS : period / 4),
		.vain_ns = thorough ? THOROUGH_NS : at_most(vain),
		.since_ns = now,
	};
}

uint64_t sprof_patience_deadline(struct patience *patience, uint64_t now, bool soon)
{
	uint64_t deadline = soon ? now + at_most(patience->vain_ns) : patience->deadline_ns;

	patience->since_ns = now;
	return deadline > now + LEAST_NS ? deadline : now + LEAST_NS;
}

void sprof_patience_end(struct patience *patience, uint64_t now)
{
	uint64_t vain = now - patience->since_ns;

	patience->vain_ns -= vain < patience->vain_ns ? vain : patience->vain_ns;
	patience->since_ns = now;
}
