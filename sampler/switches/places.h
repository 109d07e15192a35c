/*
 * Where a thread left its CPU: its stack and what it waited for, from the kernel's record of that
 * moment.
 */
#ifndef SPROF_SAMPLER_SWITCHES_PLACES_H
#define SPROF_SAMPLER_SWITCHES_PLACES_H

#include "events/perf/registers.h"
#include "sampler/account/book.h"
#include "sampler/switches/switching.h"
#include "sampler/timer/call-places.h"

enum { EXACT_WAITS = 128 };

/* Zeroed is empty. */
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

/* A new sink begins: forgets the ids of the old one. */
void sprof_exact_places_restart(struct exact_places *places);

/* Whether the stacks of the thread's program take one copy only. */
bool sprof_exact_places_fit(const struct sprof_thread *thread);

/* Reads the place of the record, with its time, into *ret. */
void sprof_exact_places_find(struct exact_places *places, struct book *book,
	struct sprof_thread *thread, const struct sprof_switch_record *record,
	struct off_place *ret);

#endif
