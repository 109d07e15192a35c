/*
 * Time accounting: a thread's samples since the last charge, and the time handed out to them.
 */
#ifndef SPROF_PROFILE_WINDOW_H
#define SPROF_PROFILE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "profile/profile.h"

/* Successive equal samples, or waits of known length. */
struct sprof_window_run {
	uint32_t row;
	uint32_t count;
	uint64_t weight; /* by which time is shared out: the count, or ns */
	enum sprof_state state;
	bool is_queued; /* they only wanted a CPU; of sleepers: they get no time */
};

/* What a class has handed out so far. */
struct sprof_window_given {
	uint64_t ns;       /* how much time */
	uint64_t samples;  /* samples that got time */
	uint32_t last_row; /* the row of the last of these samples */
};

/* Zeroed is empty and valid. */
struct sprof_window {
	struct sprof_window_run *runs;
	size_t count, capacity;
	struct sprof_times carried; /* charged, but no sample of its class came so far */
	uint64_t faults;            /* page faults of carried system time, and of the next charge */
	struct sprof_window_given given[SPROF_TIME_COUNT];
};

void sprof_window_finish(struct sprof_window *window);

/* Of the samples that were added last: that many are not to get any of the time. */
void sprof_window_take_back(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count);

/* `count` more samples of the row with that index. False: no memory. */
bool sprof_window_add(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count);

/*
 * The same, of a thread that only wanted a CPU, and was last seen there: they get ready and stolen time if
 * no other sample does. Where it was last seen asleep they get none; sprof_window_take_back() takes them
 * first, because they were added last.
 */
bool sprof_window_add_queued(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count);

/* A wait of the row, or a part of it, that long. The thread's blocked time is shared out by lengths. */
bool sprof_window_add_wait(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint64_t ns);

/* Page faults that belong to the next charge: no more system time than they can take is theirs. */
void sprof_window_fault(struct sprof_window *window, uint64_t faults);

/*
 * Hands out `times` and carried time to the rows sampled since the last charge: each class evenly
 * to its samples, or by the lengths of its waits, to the nanosecond. A class without a sample is carried on. Empties the window.
 */
void sprof_window_charge(struct sprof_window *window, const struct sprof_times *times,
	struct sprof_profile_row *rows);

/*
 * No more samples will come. A class gives its carried time to the row of its last sample, if two
 * of its samples may well be that far apart. More stays carried: nobody knows where it was spent.
 */
void sprof_window_settle(struct sprof_window *window, struct sprof_profile_row *rows);

/* Takes the carried time out of the window. */
struct sprof_times sprof_window_take_carried(struct sprof_window *window);

#endif
