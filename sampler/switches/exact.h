/*
 * Exact waits: each time that a thread leaves its CPU voluntarily is known, with its length and,
 * where the kernel permits that, its place. They replace the equal shares that the ticks give.
 */
#pragma once

#include "sampler/switches/switching.h"
#include "sampler/timer/kernel.h"

enum { EXACT_WAITS = 128 };

/* Where threads left their CPUs. Zeroed is empty. */
struct exact_places {
	struct call_places calls;
	/* waits that were found lately */
	struct exact_wait {
		uint32_t process; /* its id plus 1; 0: free */
		uint32_t id;
		int64_t number;
		uint64_t argument, found_ns;
	} waits[EXACT_WAITS];
};

struct exact {
	struct run *run;
	struct book *book;
	bool is_open;        /* the kernel records */
	bool is_on;          /* what is read reaches the sink */
	uint64_t from_ns;    /* earlier time does not count */
	uint64_t settled_ns; /* threads first seen after this inherit their parent's event */
	uint32_t next_id;    /* of threads: those with lower ids have been judged */
	uint64_t read_ns;    /* begin of the last reading: what is older is complete */
	struct exact_places places;
};

/* NULL: nothing is recorded of it. */
static inline struct switching *sprof_exact_switching(const struct sprof_thread *thread)
{
	return thread->sampling ? thread->sampling->switching : NULL;
}

/*
 * Covers all present threads. `is_on`: samples are taken from now on. The caller keeps all
 * pointed-to objects alive longer.
 */
void sprof_exact_begin(struct exact *exact, struct book *book, bool is_on);

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

/* places.c: the stack and the wait of a thread that left its CPU, from the kernel's record. */

/* Whether the stacks of the thread's program take one copy only. */
bool sprof_exact_places_fit(const struct sprof_thread *thread);

/* Reads the place of the record, with its time, into *ret. */
void sprof_exact_places_find(struct exact_places *places, struct book *book,
	struct sprof_thread *thread, const struct sprof_switch_record *record,
	struct off_place *ret);

/* report.c: hands waits to the sink, each once, with its length and its place. */

/* A wait has ended. Hands over the part of it that no tick has handed over. */
void sprof_exact_report_ended(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval);
/* Hands over the waits without a place: no later one comes whose place they could get. */
void sprof_exact_report_rest(struct exact *exact, struct sprof_thread *thread);
/*
 * A tick sees the thread: if it waits, hands over what has passed of the wait. Returns false if its
 * blocked time is to be shared out by ticks.
 */
bool sprof_exact_report_seen(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_sample *sample);
