/*
 * What calls there were in a whole time of which windows were watched.
 */
#ifndef SPROF_EVENTS_ACTIVATION_ESTIMATE_H
#define SPROF_EVENTS_ACTIVATION_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/activation-books.h"

/* How much more there was than was seen of a thread; 1: all was seen. */
struct sprof_activation_factors {
	double calls; /* of how often */
	double time;  /* of total and self time */
};

struct sprof_activation_estimate {
	const struct sprof_activation_books *seen; /* in windows, by thread */
	struct sprof_activation_factors (*factors)(void *data, uint32_t thread);
	void *data;
};

/*
 * Adds an estimate to what is known of another time. The times of single calls, the deepest recursion
 * and the calls one by one are as they were seen. False: no memory.
 */
SPROF_MUST_USE bool sprof_activation_estimate_add(
	const struct sprof_activation_estimate *estimate, struct sprof_activation_books *to);

#endif
