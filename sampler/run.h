/*
 * Shared by all parts of a run: world, options, quality figures, and whether it must end.
 */
#ifndef SPROF_SAMPLER_RUN_H
#define SPROF_SAMPLER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/sampler.h"
#include "sampler/world.h"

struct run {
	const struct sprof_world *world;
	const struct sprof_sampler_options *options;
	struct sprof_quality *quality;
	bool out_of_memory; /* the run ends with this tick */
};

static inline uint64_t now_of(const struct run *run)
{
	return run->world->now_ns(run->world->data);
}

#endif
