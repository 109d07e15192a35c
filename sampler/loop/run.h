/*
 * Shared by all parts of a run: world, options, sink, quality figures, the present tick, and
 * whether the run must end.
 */
#pragma once

#include "sampler/sampler.h"
#include "sampler/world.h"

struct exact;

/* The present tick, or the last one. */
struct tick {
	uint64_t ns, last_ns; /* when it began, and when the one before did */
	uint64_t period_ns;   /* between two ticks, up to this one */
	uint64_t number;
	bool closing; /* it charges all time up to now; false between two ticks */
};

struct run {
	const struct sprof_world *world;
	const struct sprof_sampler_options *options;
	struct sprof_quality *quality;
	struct sprof_sink *sink; /* its content is replaced at each end of a period */
	struct exact *exact;     /* has the lengths of waits; NULL: ticks give them */
	struct tick tick;
	bool out_of_memory; /* the run ends with this tick */
};

static inline uint64_t now_of(const struct run *run)
{
	return run->world->now_ns();
}

/* No tick follows for some time, so this one gets all that it can. */
static inline bool is_thorough(const struct run *run)
{
	return run->tick.closing || run->options->once;
}

/* Valid until the next event. */
struct threads {
	struct sprof_thread **items;
	size_t count;
};

static inline struct threads threads_of(const struct run *run)
{
	struct threads threads;

	threads.items = run->world->threads(run->world->target, &threads.count);
	return threads;
}

struct processes {
	struct sprof_process **items;
	size_t count;
};

static inline struct processes processes_of(const struct run *run)
{
	struct processes processes;

	processes.items = run->world->processes(run->world->target, &processes.count);
	return processes;
}
