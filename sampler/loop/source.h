/*
 * Between a tick and what samples running threads: stops (sampler/stop/stops.h), and timers in the
 * kernel (sampler/timer/kernel.h), which come before the stops and ask them for what records can't
 * show.
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
	/* threads of the target that ran then, as far as known */
	size_t running;
	bool thorough; /* it is the last one for some time */
};

enum ask_figures { ASK_NO_FIGURES, ASK_TIMES, ASK_ALL_FIGURES };

/* One thread to sample. */
struct ask {
	struct sprof_thread *thread;
	struct known_cpu cpu;     /* where it ran last; number -1: not known */
	uint32_t weight;          /* number of ticks that an observation counts for */
	enum ask_figures figures; /* to read too, as soon as they are exact */
};

/* Gets all results of a source. Threads may end meanwhile, and are then gone. */
struct source_listener {
	void *data;
	/*
	 * Returns false if it is a timer record that was not booked, because its stack is
	 * incomplete.
	 */
	bool (*observed)(void *data, struct observation *observation);
	/* The thread has no observation in the tick that asked for it: it sleeps, or got no CPU. */
	void (*missed)(void *data, struct sprof_thread *thread);
	/* The tick needs no observation of the thread: it is taken to be where it was seen last. */
	void (*stayed)(void *data, struct sprof_thread *thread);
	/* Observations were made, but lost: mostly with the thread's program. */
	void (*lost)(void *data, uint64_t count);
	/* An event that the source does not handle. */
	void (*event)(void *data, const struct sprof_event *event);
	/* Which figures a late stop has to read. */
	enum ask_figures (*wanted)(void *data, const struct sprof_thread *thread);
};

#endif
