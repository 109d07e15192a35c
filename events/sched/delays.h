/*
 * Run-queue delays of a process's threads, computed from scheduler records in order of time. Needs
 * no process.
 *
 * A delay ends when the thread gets a CPU (ON). It begins
 * - when a running thread is preempted (OFF), or
 * - when a woken or new thread is in the run queue (WAKEUP), as in the kernel's own figures. The
 * waker's work before that (from WAKING on) is a few us. If the source reports no wakeups, delays
 * after sleep are computed from schedstat (READING): its totals minus the delays after preemption.
 * This gives their number and sum, but no single delays.
 *
 * If the source reports wakeups, delays in lost records are computed in the same way: the kernel's
 * totals minus all delays seen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/idmap.h"
#include "events/sched/delay-figures.h"
#include "events/perf/sched-record.h"

/* Per-thread figures are kept for this many ended threads. */
enum { SPROF_DELAYS_MAX_ENDED = 10000 };

/* What a thread does, as far as delays are concerned. */
enum sprof_delay_step {
	SPROF_DELAY_STEP_PREEMPTED, /* a delay begins */
	SPROF_DELAY_STEP_WOKEN,     /* a delay begins */
	SPROF_DELAY_STEP_RUNS,      /* it gets a CPU */
	SPROF_DELAY_STEP_SLEEPS,
};

struct sprof_delay_moment {
	uint64_t time_ns;
	uint64_t number; /* of the step, from 1 */
	int cpu;
	pid_t other; /* see struct sprof_sched_record */
};

struct sprof_delay_thread;

struct sprof_delay_event {
	const struct sprof_delay_thread *thread; /* in its state before the step */
	enum sprof_delay_step step;
	struct sprof_delay_moment moment;
	bool ends_delay; /* RUNS: a delay, which began at the thread's `since` */
};

struct sprof_delay_options {
	uint64_t than_ns;               /* longer delays are also counted in `over`; 0: off */
	bool per_thread;                /* figures per thread, not only for all */
	bool has_switches, has_wakeups; /* what the source reports */
	/* Called at each step, in order of time. NULL: not wanted. */
	void (*noted)(void *data, const struct sprof_delay_event *event);
	void *data;
};

enum sprof_delay_state {
	SPROF_DELAY_STATE_UNKNOWN,
	SPROF_DELAY_STATE_ON,
	SPROF_DELAY_STATE_ASLEEP,
	SPROF_DELAY_STATE_PREEMPTED, /* waits for a CPU */
	SPROF_DELAY_STATE_WOKEN,     /* waits for a CPU */
};

/* Totals from schedstat, and the part already explained. */
struct sprof_delay_sums {
	bool has_base; /* there was a reading, or the thread was born during the run */
	bool spoiled;  /* the interval up to the next reading can't be used */
	/* with has_wakeups: delays may have gone unseen since the last reading that counted */
	bool is_short;
	uint64_t counted_ns; /* time of that reading, or of the thread's birth */
	int64_t base_count, base_ns;
	int64_t seen_count, seen_ns;
	/* number and sum of delays computed from schedstat so far */
	int64_t derived_count, derived_ns;
};

struct sprof_delay_thread {
	pid_t tid;
	char name[SPROF_SCHED_NAME_SIZE];
	bool ended;
	uint64_t lived_from_ns; /* lifetime before this is already counted */
	enum sprof_delay_state state;
	struct sprof_delay_moment since;  /* PREEMPTED, WOKEN: the delay's start */
	struct sprof_delay_moment waking; /* a WAKING whose WAKEUP has not come; time 0: none */
	uint64_t off_ns;                  /* the last OFF without an ON yet; 0: none */
	struct sprof_delay_sums sums;
	struct sprof_delay_set interval, total; /* per_thread only */
};

/* Set the options and the interval's start; the rest zeroed is ready to use. */
struct sprof_delays {
	struct sprof_delay_options options;
	uint64_t interval_begin_ns;
	/* unordered; with per_thread, ended threads stay */
	struct sprof_delay_thread **threads;
	size_t count, capacity, ended;
	struct sprof_idmap living; /* tid -> index in `threads` */
	/* all threads; with per_thread, only threads without separate figures */
	struct sprof_delay_set interval, total;
	uint64_t steps;
	unsigned open_gaps;
	/* the source leaves out the records of unknown ids up to this one; 0: of none */
	pid_t filtered_up_to;
	uint64_t filtered_ns; /* since then */
	uint64_t lost;        /* records lost */
	uint64_t dropped;     /* delays cut by a gap */
	uint64_t unseen;    /* with has_wakeups: sleepers that got a CPU without a wakeup record */
	uint64_t unread;    /* threads that ended before their schedstat was read */
	uint64_t unread_ns; /* between these threads' last readings and their ends */
	struct sprof_idmap children; /* tids of started processes, which are not watched */
	bool no_memory;              /* some delay or thread is missing because memory ran out */
};

void sprof_delays_finish(struct sprof_delays *delays);

/*
 * Adds an existing thread. `runs`: it was on a CPU or waiting for one before recording began. Does
 * nothing if the thread is known.
 */
void sprof_delays_add_thread(struct sprof_delays *delays, pid_t tid, const char *name, bool runs);

/* The living thread with this tid; NULL: unknown. */
struct sprof_delay_thread *sprof_delays_find(const struct sprof_delays *delays, pid_t tid);

typedef bool sprof_delays_is_chosen(const void *data, const struct sprof_delay_thread *thread);

/*
 * Of the living threads that are chosen (NULL: all), the one with the longest current wait for a
 * CPU. NULL: none waits.
 */
const struct sprof_delay_thread *sprof_delays_longest_waiter(
	const struct sprof_delays *delays, sprof_delays_is_chosen *is_chosen, const void *data);

/* Takes the next record. Records of unknown threads are ignored, except BIRTH. */
void sprof_delays_take(struct sprof_delays *delays, const struct sprof_sched_record *record);

/* Completes the interval's figures with the threads' lifetimes. */
void sprof_delays_close_interval(struct sprof_delays *delays, uint64_t now_ns);

/* Adds the closed interval to the total and begins a new one. */
void sprof_delays_end_interval(struct sprof_delays *delays, uint64_t now_ns);
