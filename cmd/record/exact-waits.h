/* Whether the kernel permits recording each wait, and in which detail. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "sampler/sampler.h"

/*
 * Tries what the kernel permits on sprof's own thread. Reports on stderr if there are no stacks,
 * with a remedy. Returns false if `wanted` and nothing is permitted.
 */
SPROF_MUST_USE bool sprof_exact_waits_choose(
	bool wanted, enum sprof_exact_waits *ret, struct sprof_error *err);
