/*
 * One tick: how each thread is sampled.
 */
#ifndef SPROF_SAMPLER_TICK_TICK_H
#define SPROF_SAMPLER_TICK_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/account/book.h"
#include "sampler/loop/schedule.h"
#include "sampler/stop/stops.h"
#include "sampler/tick/peek.h"
#include "sampler/timer/kernel.h"

/* The parts that a tick uses, and the present or last tick itself. */
struct ticking {
	struct run *run;
	struct book *book;
	struct stops *stops;
	struct kernel *kernel; /* asked before the stops; NULL: not in use */
	const struct sprof_schedule *schedule;
	struct peeking peeking;
	uint64_t ns, last_ns; /* begin of this tick, and of the last one */
	uint64_t period_ns;   /* between two ticks, up to this one */
	uint64_t number;
	bool closing;          /* the last tick of a run: charges every thread */
	unsigned round;        /* of turns in this tick */
	bool has_missed;       /* some threads get another turn in it */
	uint64_t unsettled_ns; /* the last tick with a thread that timers do not cover */
};

/* Samples every thread. `closing`: charges all time up to now. The schedule counts it afterwards. */
void sprof_tick(struct ticking *ticking, bool closing);

/* There is no observation of a thread that was asked for: it sleeps by now, or got no CPU. */
void sprof_tick_missed(struct ticking *ticking, struct sprof_thread *thread);

/*
 * How many ticks may now pass without a look: 0, unless timers have covered all threads for a while
 * (sprof_kernel_covers()).
 */
uint64_t sprof_tick_most_spared(const struct ticking *ticking);
/* After a time without ticks, which the next tick does not count for. */
void sprof_ticking_restart(struct ticking *ticking, uint64_t first_ns);

void sprof_ticking_finish(struct ticking *ticking);

#endif
