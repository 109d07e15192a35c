/*
 * Repeats the last sample of a thread that has not run since it was seen asleep. If no thread of its
 * process ran since the last tick, it needs no look.
 */
#ifndef SPROF_SAMPLER_TICK_REUSE_H
#define SPROF_SAMPLER_TICK_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/loop/run.h"
#include "sampler/observation.h"
#include "sampler/sampled.h"

struct quiet_tick {
	uint64_t ns, last_ns; /* begin of this tick, and of the last one */
	bool closing;         /* every thread is looked at */
};

/*
 * At the beginning of a tick, finds out which processes are quiet. Returns whether a process is no
 * longer quiet.
 */
bool sprof_quiet_look(const struct run *run, const struct quiet_tick *tick);

bool sprof_quiet_has_woken(const struct known_quiet *quiet);

/* The tick that looks. */
struct reuse_tick {
	uint64_t ns, number; /* when the tick began, and its number */
	bool is_first;       /* round of the tick */
};

struct reused {
	struct observation observation; /* it sleeps on */
	struct ledger_look look;        /* it has run, or may have: its figures now */
};

/* Whether it sleeps on, as the clock of its process shows, so that this tick needs no look at it. */
bool sprof_reuse_is_spared(const struct sprof_thread *thread, const struct reuse_tick *tick);

/* For a thread that was last seen asleep. Returns whether it sleeps on. */
bool sprof_reuse(const struct run *run, struct sprof_thread *thread, uint64_t tick_ns,
	struct reused *reused);

#endif
