/*
 * The figures of run-queue delays: how often and how long threads waited for a CPU.
 */
#ifndef SPROF_EVENTS_DELAY_FIGURES_H
#define SPROF_EVENTS_DELAY_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"

enum sprof_delay_kind {
	SPROF_DELAY_PREEMPTED, /* from the moment when it lost its CPU */
	SPROF_DELAY_WAKEUP,    /* from the moment when somebody woke or started it */
	SPROF_DELAY_ANY,       /* one of both: the source does not tell which */
	SPROF_DELAY_KINDS,
};

/*
 * Delays that were seen one by one, and those of which the kernel tells number and sum only. Zeroed
 * is empty.
 */
struct sprof_delay_counts {
	struct sprof_histogram seen;
	uint64_t over; /* of those seen: longer than the threshold */
	uint64_t derived_count, derived_ns;
};

struct sprof_delay_set {
	uint64_t lived_ns; /* how long the threads existed */
	struct sprof_delay_counts kinds[SPROF_DELAY_KINDS];
};

/* False: no memory; a part may have been added. */
SPROF_MUST_USE bool sprof_delay_set_merge(
	struct sprof_delay_set *into, const struct sprof_delay_set *from);

void sprof_delay_set_reset(struct sprof_delay_set *set);
void sprof_delay_set_finish(struct sprof_delay_set *set);

#endif
