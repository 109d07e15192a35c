/*
 * Processes without a thread that ran since the last tick: their sleepers need no look.
 */
#ifndef SPROF_SAMPLER_TICK_QUIET_H
#define SPROF_SAMPLER_TICK_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/loop/run.h"
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

/* The tick that began at tick_ns found that a sleeper of the process had run. */
void sprof_quiet_moved(struct known_quiet *quiet, uint64_t tick_ns);

#endif
