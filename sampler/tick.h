/*
 * One tick: how each thread is sampled.
 */
#ifndef SPROF_SAMPLER_TICK_H
#define SPROF_SAMPLER_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/book.h"
#include "sampler/peek.h"
#include "sampler/source.h"

/* The parts that a tick uses, and the present or last tick itself. */
struct ticking {
	struct run *run;
	struct book *book;
	struct sprof_source *source;
	struct peeking peeking;
	uint64_t ns, last_ns; /* begin of this tick, and of the last one */
	uint64_t period_ns;   /* between two ticks */
	uint64_t number;
	bool closing; /* every thread is charged up to it */
	/* ticks that it stands for: those since the last one, if they needed no look */
	uint32_t weight;
	bool is_weighed;       /* its weight is by the time since the last one, planned or not */
	int64_t unweighed_ns;  /* time that no weight stands for; below 0: too large a weight */
	unsigned round;        /* of turns in this tick */
	bool has_missed;       /* some threads get another turn in it */
	bool is_spare;         /* the next ticks need none, as far as the last look could tell */
	uint64_t unsettled_ns; /* the last tick that found something new */
};

/* Samples every thread. `period_ns`: to the next tick. `closing`: charges all time up to now. */
void sprof_tick(struct ticking *ticking, uint64_t period_ns, bool closing);

/* The source has no observation of a thread that was asked for: it sleeps by now, or got no CPU. */
void sprof_tick_missed(struct ticking *ticking, struct sprof_thread *thread);

/*
 * How many ticks of that period may pass now without a look: 0, unless all threads sleep as before, or the
 * source needs no ticks for them (struct sprof_source, covers and room_ns), and it was so for a while.
 */
uint64_t sprof_tick_most_spared(const struct ticking *ticking, uint64_t period_ns);
/* After a time without ticks, for which the next one doesn't stand. */
void sprof_ticking_restart(struct ticking *ticking, uint64_t first_ns);

void sprof_ticking_finish(struct ticking *ticking);

#endif
