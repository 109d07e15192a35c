/*
 * Exact waits: each time that a thread leaves its CPU voluntarily is known, with its length and,
 * where the kernel permits that, its place. They replace the equal shares that the ticks give.
 */
#ifndef SPROF_SAMPLER_SWITCHES_EXACT_H
#define SPROF_SAMPLER_SWITCHES_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/account/book.h"
#include "sampler/sampled.h"
#include "sampler/switches/places.h"

struct exact {
	struct run *run;
	struct book *book;
	struct wait_lengths lengths; /* the run's, once it is open */
	bool is_open;                /* the kernel records */
	bool is_on;                  /* what is read reaches the sink */
	uint64_t from_ns;            /* earlier time does not count */
	uint64_t settled_ns; /* threads first seen after this inherit their parent's event */
	uint32_t next_id;    /* of threads: those with lower ids have been judged */
	uint64_t read_ns;    /* begin of the last reading: what is older is complete */
	struct exact_places places;
};

/* NULL: nothing is recorded of it. */
static inline struct switching *sprof_exact_switching(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled ? sampled->switching : NULL;
}

/* The caller keeps all pointed-to objects alive longer. */
void sprof_exact_init(struct exact *exact, struct run *run, struct book *book);
/* Covers all present threads. `is_on`: samples are taken from now on. */
void sprof_exact_begin(struct exact *exact, bool is_on);
void sprof_exact_finish(struct exact *exact);

/* When to read at the latest. */
uint64_t sprof_exact_due_ns(const struct exact *exact);
/* Reads, and hands what is complete to the sink. `all`: also what was just read. */
void sprof_exact_read(struct exact *exact, bool all);

/* ended: hands over all waits of the thread. executed: it runs another program. */
void sprof_exact_ended(struct exact *exact, struct sprof_thread *thread);
void sprof_exact_executed(struct exact *exact, struct sprof_thread *thread);
/* Sampling goes off, on; a new sink begins. Everything up to now was read. */
void sprof_exact_pause(struct exact *exact);
void sprof_exact_resume(struct exact *exact);
void sprof_exact_restart(struct exact *exact);

#endif
