/*
 * Repeats the last sample of a thread that has not run since it was seen asleep.
 */
#ifndef SPROF_SAMPLER_TICK_REUSE_H
#define SPROF_SAMPLER_TICK_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/loop/run.h"
#include "sampler/observation.h"

enum reuse_outcome {
	REUSE_MOVED, /* it has run, or may have; the ticks slept before are to be credited */
	/* it sleeps on: the observation counts for this tick, and for all ticks without a look */
	REUSE_TAKEN,
	REUSE_SPARED, /* it sleeps on, and this tick is credited later */
};

/* The tick that looks. */
struct reuse_tick {
	uint64_t ns, number; /* when the tick began, and its number */
	uint32_t weight;     /* number of ticks that it counts for */
};

struct reused {
	struct observation observation; /* TAKEN */
	/* MOVED: its figures now; if it has no more time slices, they are not known */
	struct sprof_proc_schedstat moved;
};

/* For a thread that was last seen asleep. */
enum reuse_outcome sprof_reuse(const struct run *run, struct sprof_thread *thread,
	const struct reuse_tick *tick, struct reused *reused);

/* The ticks slept without a look, the last one at `time_ns`. Returns false if there are none. */
bool sprof_reuse_credit(struct sprof_thread *thread, uint64_t time_ns, struct observation *ret);

#endif
