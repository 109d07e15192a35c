/*
 * What is remembered of a thread's timer in the kernel, and when the thread is stopped all the same.
 *
 *   timer    NONE -opened-> OPEN -closed-> NONE. Given up: it stays closed until an exec.
 *
 *   stack    SMALL -a copy that was full did not hold the stack-> LARGER, up to the largest. Many
 *            stacks in a row that are not whole: the timer is given up.
 *
 * The thread's CPU time, in periods, is owed samples; each record is one. What is still owed is time in
 * the kernel, which only stops can see. The larger its share, the more ticks have a stop; one that
 * meets the thread in the kernel stands for all that is owed.
 */
#ifndef SPROF_SAMPLER_TIMED_H
#define SPROF_SAMPLER_TIMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sprof_perf_timer;

/* Zeroed has no timer, and had none. */
struct timed {
	struct sprof_perf_timer *timer; /* NULL: none */
	bool given_up;
	bool wants_more;    /* its copies of the stack are too small */
	size_t stack_size;  /* of its copies, in bytes; 0: not decided yet */
	uint64_t opened_ns; /* the tick that opened it: before, the thread was sampled by stops */
	uint64_t paced_ns;  /* when it got its present period */
	uint64_t used_ns;   /* the last tick in which the thread ran, or had a record */
	uint64_t record_ns; /* the last tick in which it had a record */
	uint64_t cpu_ns;    /* the thread's CPU time at the last tick that found it running */
	double weight;      /* the timer's present period, in periods of the ticks */
	double user_share;  /* of the thread's recent CPU time, by the records */
	double fresh;       /* records that are not in it yet, in periods of the ticks */
	double owed;        /* samples, which no record or stop has given yet */
	uint32_t ticks;     /* in which the thread ran, since its last stop */
	uint32_t cut;       /* records whose stack was not whole: one stop stands for them */
	uint32_t cut_in_row;
};

/* The sizes of copies, the first one and the next one, in bytes; 0: there is none. */
size_t sprof_timed_stack_size(const struct timed *timed);

/* The thread has used this CPU time, in ns, so far. Its first period follows (paced). */
void sprof_timed_opened(
	struct timed *timed, struct sprof_perf_timer *timer, uint64_t tick_ns, uint64_t cpu_ns);
/* With another size of copies, in the place of the old timer. */
void sprof_timed_replaced(struct timed *timed, struct sprof_perf_timer *timer);
/* `for_good`: it is not opened again. */
void sprof_timed_closed(struct timed *timed, bool for_good);
/* The thread runs another program: all is forgotten, except for an open timer. */
void sprof_timed_executed(struct timed *timed);
/* Its period is now `weight` times that of the ticks. */
void sprof_timed_paced(struct timed *timed, uint64_t now_ns, double weight);

/* A tick has found that the thread runs; `periods`: of CPU time since the last one that did. */
void sprof_timed_ran(struct timed *timed, uint64_t tick_ns, uint64_t cpu_ns, double periods);
/* The timer had a record of the thread. */
void sprof_timed_recorded(struct timed *timed, uint64_t tick_ns);
/* All of its stack was in the copy; or not, though the copy was full or not. */
void sprof_timed_met_whole(struct timed *timed);
void sprof_timed_was_cut(struct timed *timed, bool was_full);
/* Whether that many stacks in a row were not whole that stops are better. */
bool sprof_timed_is_in_vain(const struct timed *timed);

/* Whether this tick has a stop. `most`: at least one in that number of ticks has. */
bool sprof_timed_is_due(const struct timed *timed, uint32_t most);
/* A stop has found the thread: in the kernel, for that number of ticks. */
uint32_t sprof_timed_met_in_kernel(struct timed *timed);
/* In its own code: for that number of records; 0: the records stand for themselves. */
uint32_t sprof_timed_met_in_user(struct timed *timed);

#endif
