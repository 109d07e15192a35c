/* Time accounting: a thread's samples since its last charge, and the time distributed to them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/record.h"
#include "profile/model/profile.h"

/*
 * System time of a page fault: usually about 1 us, up to this limit if a huge page is zeroed or the
 * host is slow.
 */
enum { SPROF_MOST_FAULT_NS = 100 * SPROF_NS_PER_US };

/* Successive equal samples. */
struct sprof_window_run {
	uint32_t row;
	uint32_t count;
	/* the time that they explain: in their state, and in the run queue after their sleep */
	uint64_t ns, queue_ns;
	enum sprof_state state;
};

/* A class's distribution so far. */
struct sprof_window_given {
	uint64_t ns;       /* time distributed */
	uint64_t samples;  /* samples that received time */
	uint32_t last_row; /* row of the last such sample */
};

/* Zeroed is empty and valid. */
struct sprof_window {
	struct sprof_window_run *runs;
	size_t count, capacity;
	struct sprof_times carried; /* charged time that waits for a sample of its class */
	/* page faults that belong to carried system time and to the next charge */
	uint64_t faults;
	struct sprof_window_given given[SPROF_TIME_COUNT];
};

void sprof_window_finish(struct sprof_window *window);

/*
 * Adds samples of a row; with count 0, only adds time to its samples. Returns false if out of
 * memory.
 */
bool sprof_window_add(struct sprof_window *window, const struct sprof_window_run *more);

/* Adds page faults for the next charge: they limit the system time attributed to faults. */
void sprof_window_fault(struct sprof_window *window, uint64_t faults);

/*
 * Distributes `times` and carried time to the rows sampled since the last charge: each class in
 * proportion to the time that its samples explain, exact to the nanosecond. A class without a
 * sample is carried. Empties the window.
 */
void sprof_window_charge(struct sprof_window *window, const struct sprof_times *times,
	struct sprof_profile_row *rows);

/*
 * No more samples will come. A class's carried time goes to the row of its last sample if it is no
 * longer than a plausible distance between two of its samples. Longer time stays carried, because
 * its place is unknown.
 */
void sprof_window_settle(struct sprof_window *window, struct sprof_profile_row *rows);

struct sprof_times sprof_window_take_carried(struct sprof_window *window);
