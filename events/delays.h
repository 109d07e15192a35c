/*
 * Run-queue delays of a process's threads, from a stream of records in order of time: no process is
 * needed.
 *
 * A delay ends when its thread gets a CPU (ON). It begins
 * - where a thread leaves its CPU although it could go on (OFF, preempted), or
 * - where a sleeping thread is woken (WAKING), or a new one started (WAKEUP).
 * Without WAKING and WAKEUP, delays after a sleep come from the kernel's own sums (READING): what
 * schedstat has counted, minus the delays after a preemption. That gives their number and their sum,
 * and no single one.
 */
#ifndef SPROF_EVENTS_DELAYS_H
#define SPROF_EVENTS_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/idmap.h"
#include "events/delay-figures.h"
#include "events/sched-record.h"

/* Of how many threads that have ended the figures are kept one by one. */
enum { SPROF_DELAYS_MAX_ENDED = 10000 };

struct sprof_delay_options {
	uint64_t than_ns;               /* delays longer than that are counted apart; 0: none is */
	bool per_thread;                /* figures of each thread, or only of all */
	bool has_switches, has_wakeups; /* what the source tells */
};

enum sprof_delay_state {
	SPROF_DELAY_STATE_UNKNOWN,
	SPROF_DELAY_STATE_ON,
	SPROF_DELAY_STATE_ASLEEP,
	SPROF_DELAY_STATE_PREEMPTED, /* waits for a CPU */
	SPROF_DELAY_STATE_WOKEN,     /* waits for a CPU */
};

/* What schedstat has counted, and what is known of it otherwise. */
struct sprof_delay_sums {
	bool has_base; /* there was a reading, or the thread was born under our eyes */
	bool spoiled;  /* what comes up to the next reading can't be related */
	int64_t base_count, base_ns;
	int64_t preempted_count, preempted_ns;
	int64_t derived_count, derived_ns; /* what has been made of it */
};

struct sprof_delay_thread {
	pid_t tid;
	char name[SPROF_SCHED_NAME_SIZE];
	bool ended;
	uint64_t lived_from_ns; /* what came before is in the figures */
	enum sprof_delay_state state;
	uint64_t since_ns;  /* PREEMPTED, WOKEN: the begin of the delay */
	uint64_t waking_ns; /* a WAKING before its OFF; 0: none */
	uint64_t off_ns;    /* the last OFF, if no ON has followed; else 0 */
	struct sprof_delay_sums sums;
	struct sprof_delay_set interval, total; /* per_thread only */
};

/* Zeroed, with options and begin of the interval, is ready. */
struct sprof_delays {
	struct sprof_delay_options options;
	uint64_t interval_begin_ns;
	/* in no order; those that have ended stay if there are figures per thread */
	struct sprof_delay_thread **threads;
	size_t count, capacity, ended;
	struct sprof_idmap living; /* tid -> index of threads */
	/* of all threads, or with figures per thread only of those that have none of their own */
	struct sprof_delay_set interval, total;
	unsigned open_gaps;
	/* the source leaves out the records of ids up to this one that it doesn't know; 0: of none */
	pid_t filtered_up_to;
	uint64_t lost;    /* records */
	uint64_t dropped; /* delays that a gap has cut */
	uint64_t
		unseen; /* with has_wakeups: sleepers that got a CPU, and nobody had seen them woken */
	uint64_t unread; /* threads that ended with sums that nobody had read */
	bool no_memory;  /* some delay or thread is missing */
};

void sprof_delays_finish(struct sprof_delays *delays);

/*
 * Takes in a thread that exists already. `runs`: it has a CPU, or waits for one since before we
 * looked. A thread that is known is left as it is.
 */
void sprof_delays_add_thread(struct sprof_delays *delays, pid_t tid, const char *name, bool runs);

/* The living thread of this id. NULL: none is known. */
struct sprof_delay_thread *sprof_delays_find(const struct sprof_delays *delays, pid_t tid);

/* The living thread that waits for a CPU longest. NULL: none is known to wait. */
const struct sprof_delay_thread *sprof_delays_longest_waiter(const struct sprof_delays *delays);

/* Takes the next record; one of an unknown thread is ignored, except its birth. */
void sprof_delays_take(struct sprof_delays *delays, const struct sprof_sched_record *record);

/* Completes the interval's figures: how long the threads have lived. */
void sprof_delays_close_interval(struct sprof_delays *delays, uint64_t now_ns);

/* Adds the figures of the closed interval to the total, and begins a new one. */
void sprof_delays_end_interval(struct sprof_delays *delays, uint64_t now_ns);

#endif
