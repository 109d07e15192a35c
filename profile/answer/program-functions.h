/* Time of functions in their own code and in their own system calls. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/classify/own-place.h"
#include "profile/views/view.h"

struct sprof_own_row {
	uint32_t function;
	struct sprof_metrics self;
	struct sprof_waiting waiting; /* the blocked part of the time */
	/* the library's function that most of its time was in, and that time; NONE: none */
	uint32_t inner;
	uint64_t inner_ns;
};

struct sprof_own {
	struct sprof_own_row *rows; /* by the view's weight, descending */
	size_t count;
};

/*
 * Aggregates by the function that a stack's time is charged to (profile/classify/own-place.h).
 * Fills *ret; the caller finishes it. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_own_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_own *ret, struct sprof_error *err);
void sprof_own_finish(struct sprof_own *own);
