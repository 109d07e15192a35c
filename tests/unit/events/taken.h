/*
 * A list of what a stream of scheduler records gives, for tests.
 */
#pragma once

#include "events/perf/sched-order.h"
#include "tests/unit/check.h"

enum { TAKEN_MAX = 64 };

struct taken {
	struct sprof_sched_record items[TAKEN_MAX];
	size_t count;
};

/* For sprof_sched_order_release(); data is a struct taken. */
static inline void take(void *data, const struct sprof_sched_record *record)
{
	struct taken *taken = data;

	assert_true(taken->count < TAKEN_MAX);
	taken->items[taken->count++] = *record;
}
