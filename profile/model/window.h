/* Time accounting: a thread's samples since its last charge, and the time distributed to them. */
#ifndef SPROF_PROFILE_MODEL_WINDOW_H
#define SPROF_PROFILE_MODEL_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "profile/model/profile.h"

/* Successive equal samples, or waits of known length. */
struct sprof_window_run {
	uint32_t row;
	uint32_t count;
	uint64_t weight; /* share in the distribution: sample count, or ns */
	enum sprof_state state;
	/* queue samples: the thread was runnable without a CPU; a sleeper's get no time */
	bool is_queued;
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

/* Excludes `count` of the samples added last from the distribution. */
void sprof_window_take_back(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count);

/* Adds `count` samples of a row. Returns false if out of memory. */
bool sprof_window_add(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count);

/*
 * The same for queue samples, in the row where the thread was last seen: they get runq and stolen
 * time only if the window has no other sample for it. If the thread was last seen asleep, they get
 * none. sprof_window_take_back() excludes them first, because they were added last.
 */
bool sprof_window_add_queued(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count);

/*
 * Adds a wait of the row, or a part of it. The thread's blocked time is then distributed by
 * lengths.
 */
bool sprof_window_add_wait(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint64_t ns);

/* Adds page faults for the next charge: they limit the system time attributed to faults. */
void sprof_window_fault(struct sprof_window *window, uint64_t faults);

/*
 * Distributes `times` and carried time to the rows sampled since the last charge: each class evenly
 * over its samples, or by the lengths of its waits, exact to the nanosecond. A class without a
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

#endif
