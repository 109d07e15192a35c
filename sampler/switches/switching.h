/*
 * One thread's switches, in order of time, and what they add up to.
 *
 *   ON -off-> OFF -on-> ON. A thread that was on no CPU when its recording began is OFF since then.
 *   Where switches are missing, the state is not known until the next switch, and a wait up to
 *   there is lost.
 *
 * An interval off the CPU is a wait, unless the thread was preempted, or was in a stop of its
 * tracer. It lasts until the thread has a CPU again, so it includes the time in the run queue after
 * the thread was woken. The kernel knows that time only in sum (schedstat).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/record.h"

struct sprof_thread;

/* Where a thread left its CPU. */
struct off_place {
	uint64_t time_ns;     /* just before it left */
	uint32_t stack, wait; /* the sink's */
	enum sprof_state state;
	bool is_cut; /* the copy did not hold the whole stack */
};

/* In the order in which those of one moment are taken. */
enum switch_kind { SWITCH_GAP, SWITCH_PLACE, SWITCH_OFF, SWITCH_ON };

struct switch_item {
	uint64_t time_ns;
	enum switch_kind kind;
	bool preempted; /* OFF: it could have gone on */
	union {
		uint64_t gap_ns;        /* GAP: up to then, switches may be missing */
		struct off_place place; /* PLACE */
	};
};

struct off_interval {
	uint64_t begin_ns, end_ns;
	bool preempted;
};

enum off_kind {
	OFF_PREEMPTED,
	OFF_STOP, /* our doing */
	OFF_WAIT,
};

/* What counts for the present sink, without pauses. */
struct switching_totals {
	uint64_t waits, wait_ns, longest_ns;
	uint64_t preemptions, preempted_ns;
};

/* Time off the CPU, without that in gaps. */
struct switching_off {
	bool is_known; /* up to now, or to the last gap's end */
	uint64_t ns;
	uint64_t wait_ns; /* of it, in waits, with the time in the run queue after them */
	uint32_t gaps;    /* number of gaps */
};

/* Where the parts of a wait go: a row of the sink. */
struct switching_row {
	uint64_t since_ns; /* 0: no part is known */
	uint32_t stack, wait;
	enum sprof_state state;
	struct sprof_holder holder;
};

/* Zeroed: nothing is known. */
struct switching {
	/* what was read and is still to be taken */
	struct switch_item *items;
	size_t first, count, capacity;
	bool is_unsorted;
	bool is_known; /* a switch was taken, or its sleep was seen */
	bool is_off, preempted;
	bool is_counted;   /* this wait is among those that the sink knows */
	uint64_t since_ns; /* of the present state */
	bool has_place;
	/* of the present interval, or of an earlier one; time_ns 0: none, for this sink */
	struct off_place place;
	uint64_t reported_ns;     /* waits until then have reached the sink */
	struct switching_row row; /* of the last part */
	/* waits without a place: the next one that has a place gets their time */
	uint64_t unplaced, unplaced_ns;
	/* of all intervals that have ended, without our stops; and of waits among them */
	uint64_t off_ns, off_wait_ns;
	struct switching_totals totals;
	/* of the present interval, before the last pause: counts if it turns out to be a wait */
	struct switching_totals held;
	bool is_old;      /* it began before this sink, or before the last pause ended */
	bool is_paused;   /* what passes does not count */
	uint64_t from_ns; /* when the last pause ended: the length of a wait counts from then */
	uint64_t cut_ns;  /* the same, or when this sink began: its time counts from then */
	bool is_lost;     /* switches are missing, and none has come since */
	uint32_t gaps;    /* number of gaps */
	bool by_ticks;    /* ticks say where it waits: its stacks take more than one copy */
	/* what the last tick that saw it asleep has handed over; time_ns 0: none, for this sink */
	struct sprof_sample tick;
	struct sprof_holder holder; /* of the lock, if tick.holder says so */
};

void sprof_switching_destroy(struct switching *switching);

/* Adds what was read, in any order. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_switching_add(
	struct switching *switching, const struct switch_item *item);
/* Takes the oldest switch, if it is before until_ns. */
SPROF_MUST_USE bool sprof_switching_take(
	struct switching *switching, uint64_t until_ns, struct switch_item *ret);
/* Whether the thread has got a CPU before until_ns, in what was not taken yet. */
bool sprof_switching_went_on(struct switching *switching, uint64_t until_ns);
/* Whether the switch after this time, where a place was noted, is known to be a preemption. */
bool sprof_switching_was_preempted(struct switching *switching, uint64_t time_ns);

/* off: the thread has left its CPU. on: it has got one; returns whether that ends an interval. */
void sprof_switching_off(struct switching *switching, const struct switch_item *item);
SPROF_MUST_USE bool sprof_switching_on(
	struct switching *switching, uint64_t time_ns, struct off_interval *ret);
/* It was seen asleep without a switch to show that: it has been OFF since the recording began. */
void sprof_switching_found_off(struct switching *switching, uint64_t since_ns);

/* When the thread was resumed from a stop of ours in the interval; 0: it was in none. */
uint64_t sprof_switching_resumed(
	const struct sprof_thread *thread, const struct off_interval *interval);
/*
 * Counts the interval that sprof_switching_on() has just given. resumed_ns: when we resumed it from
 * a stop of ours; 0: it was in none.
 */
enum off_kind sprof_switching_count(
	struct switching *switching, const struct off_interval *interval, uint64_t resumed_ns);

/*
 * All time off the CPU up to now, without stops of ours, including switches that were not taken
 * yet. Less the kernel's run-queue time, it is the time that the thread was blocked, and less than
 * a stop takes from its end to the run queue. `thread` knows its stops; NULL: there were none.
 */
struct switching_off sprof_switching_off_by(
	struct switching *switching, const struct sprof_thread *thread, uint64_t now_ns);
/* What belongs to the present sink, with the present wait up to now. */
struct switching_totals sprof_switching_own(const struct switching *switching, uint64_t now_ns);
/* Sampling goes off, and on: what is between does not count. A new sink: nothing so far does. */
void sprof_switching_pause(struct switching *switching, uint64_t now_ns);
void sprof_switching_resume(struct switching *switching, uint64_t now_ns);
void sprof_switching_restart(struct switching *switching, uint64_t now_ns);
