/*
 * What the sampler remembers of a thread's timer in the kernel.
 *
 *   timer    NONE -opened-> OPENING -recorded-> OPEN. All -closed-> NONE. After `given up` it stays
 *            closed until an exec. The first record comes after a whole period, so a thread that
 *            works in short bursts may have none for long. While OPENING, stops take the samples.
 *   stack    copies are as large as the previous stops needed. They shrink when many stacks needed
 *            less, and become as large as possible when a full copy did not hold the stack. If too
 *            many stacks are incomplete and no larger copy helps, the timer is given up.
 */
#ifndef SPROF_SAMPLER_TIMER_TIMED_H
#define SPROF_SAMPLER_TIMER_TIMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sprof_perf_timer;

/* Zeroed has no timer, and had none. */
struct timed {
	struct sprof_perf_timer *timer; /* NULL: none */
	bool is_open;                   /* it has made a record */
	bool given_up;
	bool is_unfit;   /* its stack takes several copies, which a timer can't make */
	bool leads_away; /* its stack was in two places when it was last seen; a stop copies both */
	bool outgrown;   /* its copies of the stack were too small once */
	size_t stack_size; /* of its copies, in bytes */
	size_t next_size;  /* size of copies of the timer that is to replace it; 0: it may stay */
	size_t needed;  /* the largest part of a copy that a complete stack has needed, in bytes */
	uint32_t whole; /* complete stacks */
	double cut_share; /* share of recent stacks that were incomplete, where no larger copy may help */
	size_t room; /* number of records that its ring holds */
	uint64_t period_ns;
	uint64_t paced_ns;      /* when it got that period */
	uint32_t paced_records; /* records since then */
	uint64_t found_ns;      /* the last tick that found the thread running without a timer */
	/* the last tick that read a record of it, and its timeslices then */
	uint64_t recorded_ns, timeslices;
};

/*
 * A tick has found the thread running. Returns whether the tick before did, too: then it goes on
 * running, and a timer is worth its cost.
 */
bool sprof_timed_goes_on(struct timed *timed, uint64_t tick_ns, uint64_t last_tick_ns);
/* The size of the copies of the stack that the next timer makes, in bytes. */
size_t sprof_timed_next_size(const struct timed *timed);
/* It has a timer: a first one, or one that continues the records of another. */
void sprof_timed_got(struct timed *timed, struct sprof_perf_timer *timer, size_t stack_size);
/* With `for_good`, it is not opened again. */
void sprof_timed_closed(struct timed *timed, bool for_good);
/* It has this period from now on. */
void sprof_timed_paced(struct timed *timed, uint64_t now_ns, uint64_t period_ns);

/* A whole stack has needed that many bytes of a copy. */
void sprof_timed_needed(struct timed *timed, size_t bytes);
/* It has made a record. `was_full`: the copy was full, so a larger one may hold more. */
void sprof_timed_recorded(struct timed *timed, bool is_whole, bool was_full);
/* Whether stacks are incomplete so often that stops are better. */
bool sprof_timed_is_in_vain(const struct timed *timed);

#endif
