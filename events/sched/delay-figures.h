/* Statistics of run-queue delays: how often and how long threads waited for a CPU. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"

enum sprof_delay_kind {
	SPROF_DELAY_PREEMPTED, /* since the thread was preempted */
	SPROF_DELAY_WAKEUP,    /* since the thread was woken or started */
	SPROF_DELAY_ANY,       /* either; the source can't distinguish them */
	SPROF_DELAY_KINDS,
};

/*
 * Delays seen individually, and delays of which the kernel reports only number and sum. Zeroed is
 * empty.
 */
struct sprof_delay_counts {
	struct sprof_histogram seen;
	uint64_t over; /* individually seen delays above the threshold */
	uint64_t derived_count, derived_ns;
};

struct sprof_delay_set {
	uint64_t lived_ns; /* sum of the threads' lifetimes */
	struct sprof_delay_counts kinds[SPROF_DELAY_KINDS];
};

/* Returns false if out of memory; `into` may then contain a part of `from`. */
SPROF_MUST_USE bool sprof_delay_set_merge(
	struct sprof_delay_set *into, const struct sprof_delay_set *from);

void sprof_delay_set_reset(struct sprof_delay_set *set);
void sprof_delay_set_finish(struct sprof_delay_set *set);
