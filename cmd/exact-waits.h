/*
 * Whether the kernel writes down each wait, and how much of it.
 */
#ifndef SPROF_CMD_EXACT_WAITS_H
#define SPROF_CMD_EXACT_WAITS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "sampler/sampler.h"

/*
 * What the kernel permits, tried on our own thread. Without stacks, a message says so, and what would
 * help. False: `wanted`, and it permits nothing.
 */
SPROF_MUST_USE bool sprof_exact_waits_choose(
	bool wanted, enum sprof_exact_waits *ret, struct sprof_error *err);

#endif
