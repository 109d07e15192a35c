/*
 * The interface of a source of samples of running threads. There are two: stopping them (stops.h),
 * and timers in the kernel (kernel.h), which asks the first one for what they can't tell.
 *
 * A tick begins, gathers what a source has of each thread already, asks for the running ones, and
 * collects them, perhaps several times. Late ones come between two ticks. Before the end of a run,
 * outstanding ones are drained. The listener gets all results.
 */
#ifndef SPROF_SAMPLER_SOURCE_H
#define SPROF_SAMPLER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/observation.h"
#include "sampler/run.h"
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
	uint32_t weight;          /* number of ticks that an observation stands for */
	enum ask_figures figures; /* to read too, as soon as they are exact */
};

/* Gets all results of a source. Threads may end meanwhile, and are then gone. */
struct source_listener {
	void *data;
	/* False: one of the kernel's was not booked, because its stack is not whole. */
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

struct sprof_source {
	void *data;
	void (*begin)(void *data, const struct source_tick *tick);
	/*
	 * Hands over what has been observed of the thread between the ticks. NULL, also for the
	 * two below, covers and room_ns: the source has nothing to do then.
	 */
	void (*gather)(void *data, struct sprof_thread *thread);
	/* Any event of the target, before anybody handles it: a thread may be gone afterwards. */
	void (*hear)(void *data, const struct sprof_event *event);
	/* There are no ticks for a while. */
	void (*rest)(void *data);
	/* False: no memory. */
	bool (*ask)(void *data, const struct ask *ask);
	/*
	 * Whether it needs no ticks for a thread that it was just asked for: it tells of it all the
	 * same, unless the thread sleeps, which this one has not done for a while.
	 */
	bool (*covers)(void *data, const struct sprof_thread *thread);
	/* For how long it can tell of all threads without a tick. */
	uint64_t (*room_ns)(void *data);
	/* Whether to collect now: what the threads were seen doing may soon be over. */
	bool (*is_due)(void *data);
	void (*collect)(void *data);
	/* Between two ticks: a stop that the source asked for has come. */
	void (*take_late)(void *data, struct sprof_thread *thread);
	/* The run is over: waits for outstanding stops, so that it leaves none behind. */
	void (*drain)(void *data);
	/* Gives our own thread its former CPUs and priority back for a while; takes them again. */
	void (*step_aside)(void *data);
	void (*step_back)(void *data);
	void (*finish)(void *data);
};

#endif
