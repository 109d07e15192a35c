/*
 * The interface between a tick and what samples running threads: stops (sampler/stop/stops.h) and
 * timers in the kernel (sampler/timer/kernel.h), which come before the stops. Observations go to
 * the book.
 */
#ifndef SPROF_SAMPLER_LOOP_SOURCE_H
#define SPROF_SAMPLER_LOOP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/loop/run.h"
#include "sampler/observation.h"
#include "sampler/sampled.h"

/* A tick, as a source sees it. */
struct source_tick {
	uint64_t ns, period_ns; /* when it began, and the time between ticks up to it */
	bool thorough;          /* it is the last one for some time */
};

enum ask_figures { ASK_NO_FIGURES, ASK_TIMES, ASK_ALL_FIGURES };

/* One thread to sample. */
struct ask {
	struct sprof_thread *thread;
	struct known_cpu cpu;     /* where it ran last; number -1: not known */
	enum ask_figures figures; /* to read too, as soon as they are exact */
};

/* What a source reports besides observations. Threads may end meanwhile, and are then gone. */
struct source_listener {
	void *data;
	/* The thread has no observation in the tick that asked for it: it sleeps, or got no CPU. */
	void (*missed)(void *data, struct sprof_thread *thread);
	/* An event that the source does not handle. */
	void (*event)(void *data, const struct sprof_event *event);
};

#endif
