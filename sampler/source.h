/*
 * The interface of a source of samples of running threads. Stopping them (stops.h) is the only
 * source.
 *
 * A tick begins, asks for threads, and collects them, perhaps several times. Late ones come between
 * two ticks. Before the end of a run, outstanding ones are drained. The listener gets all results.
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
	uint64_t ns, period_ns; /* when it began, and the time to the next one */
	/* threads of the target that ran then, as far as known */
	size_t running;
	bool thorough; /* it is the last one for some time */
};

enum ask_figures { ASK_NO_FIGURES, ASK_TIMES, ASK_ALL_FIGURES };

/* One thread to sample. */
struct ask {
	struct sprof_thread *thread;
	struct known_cpu cpu;     /* where it ran last; number -1: not known */
	enum ask_figures figures; /* to read too, as soon as they are exact */
};

/* Gets all results of a source. Threads may end meanwhile, and are then gone. */
struct source_listener {
	void *data;
	void (*observed)(void *data, struct observation *observation);
	/* The thread has no observation in the tick that asked for it: it sleeps, or got no CPU. */
	void (*missed)(void *data, struct sprof_thread *thread);
	/* An observation was made, but lost with the thread's program. */
	void (*lost)(void *data);
	/* An event that the source does not handle. */
	void (*event)(void *data, const struct sprof_event *event);
	/* Which figures a late stop has to read. */
	enum ask_figures (*wanted)(void *data, const struct sprof_thread *thread);
};

struct sprof_source {
	void *data;
	void (*begin)(void *data, const struct source_tick *tick);
	/* False: no memory. */
	bool (*ask)(void *data, const struct ask *ask);
	/* Whether to collect now: what the threads were seen doing may soon be over. */
	bool (*is_due)(void *data);
	void (*collect)(void *data);
	/* Between two ticks: a stop that the source asked for has come. */
	void (*take_late)(void *data, struct sprof_thread *thread);
	/* Waits for outstanding stops, so that the run leaves none behind. */
	void (*drain)(void *data);
	/* Gives our own thread its former CPUs and priority back for a while; takes them again. */
	void (*step_aside)(void *data);
	void (*step_back)(void *data);
	void (*finish)(void *data);
};

#endif
