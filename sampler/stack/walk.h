/*
 * From a copied stack to frames.
 */
#ifndef SPROF_SAMPLER_STACK_WALK_H
#define SPROF_SAMPLER_STACK_WALK_H

#include "sampler/loop/run.h"
#include "sampler/observation.h"

struct walked {
	struct sprof_stack_view stack; /* valid until the next walk */
	uint64_t goroutine;            /* 0: none, or not wanted */
};

/* Walks the snapshot; reads mappings again if that may help. Plans the next copy. */
struct walked sprof_walk(const struct run *run, const struct observation *observation);

#endif
