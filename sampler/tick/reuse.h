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
	REUSE_MOVED,  /* it has run, or may have */
	REUSE_TAKEN,  /* it sleeps on */
	REUSE_SPARED, /* it sleeps on, as its process's clock shows */
};

/* The tick that looks. */
struct reuse_tick {
	uint64_t ns, number; /* when the tick began, and its number */
};

struct reused {
	struct observation observation; /* TAKEN */
	struct ledger_look look;        /* MOVED: its figures now */
};

/* For a thread that was last seen asleep. */
enum reuse_outcome sprof_reuse(const struct run *run, struct sprof_thread *thread,
	const struct reuse_tick *tick, struct reused *reused);

#endif
