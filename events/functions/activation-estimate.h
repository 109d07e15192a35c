/* Extrapolates from the calls seen in sampling windows to the whole run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/functions/activation-books.h"

/* Factors by which to scale a thread's figures; 1: everything was seen. */
struct sprof_activation_factors {
	double calls; /* for numbers of calls */
	double time;  /* for total and self times */
};

struct sprof_activation_estimate {
	const struct sprof_activation_books *seen; /* from the windows; rows by thread */
	struct sprof_activation_factors (*factors)(void *data, uint32_t thread);
	void *data;
};

/*
 * Adds the extrapolated figures to `to`. The histogram, the deepest recursion and the list of calls
 * are copied unscaled. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_activation_estimate_add(
	const struct sprof_activation_estimate *estimate, struct sprof_activation_books *to);
