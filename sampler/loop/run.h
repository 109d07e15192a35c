/*
 * Shared by all parts of a run: world, options, quality figures, and whether it must end.
 */
#ifndef SPROF_SAMPLER_LOOP_RUN_H
#define SPROF_SAMPLER_LOOP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/sampler.h"
#include "sampler/world.h"

struct sprof_thread;

/* Knows how long threads wait (sampler/switches/exact.h). Ticks only show where they wait. */
struct wait_lengths {
	void *data;
	/*
	 * A sample of the thread goes to the sink. Returns whether the thread waits and the length
	 * of this wait is reported separately.
	 */
	bool (*seen)(void *data, struct sprof_thread *thread, const struct sprof_sample *sample);
};

struct run {
	const struct sprof_world *world;
	const struct sprof_sampler_options *options;
	struct sprof_quality *quality;
	const struct wait_lengths *lengths; /* NULL: waits are known only by ticks */
	bool out_of_memory;                 /* the run ends with this tick */
};

static inline uint64_t now_of(const struct run *run)
{
	return run->world->now_ns(run->world->data);
}

#endif
