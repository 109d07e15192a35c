/*
 * The timers in the kernel (events/perf/timer.h) of the threads of a run.
 */
#ifndef SPROF_SAMPLER_TIMER_TIMERS_H
#define SPROF_SAMPLER_TIMER_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu-set.h"
#include "sampler/loop/run.h"
#include "sampler/timer/call-places.h"

struct timers {
	const struct run *run;
	struct book *book;           /* gets the observations */
	uint64_t tick_ns, period_ns; /* of the present tick; from one tick to the next */
	struct sprof_cpu_set cpus;   /* CPUs of the records of this tick */
	unsigned char *scratch;      /* for records; NULL: not allocated yet */
	size_t open;                 /* number of timers */
	struct call_places places;
	uint64_t random; /* not 0 */
};

/* All timers are closed. */
void sprof_timers_finish(struct timers *timers);

/* The functions below are about a thread that is sampled. */

/*
 * Opens one, if there is room for it. This tick and those before have no records. If the kernel
 * refuses it, that counts, and it is not asked again for this thread.
 */
void sprof_timers_open(struct timers *timers, struct sprof_thread *thread);

/*
 * Whether its stacks take more than a timer copies. It may turn out later: an interpreter is a library
 * that is loaded at some time.
 */
bool sprof_timers_are_unfit(const struct timers *timers, const struct sprof_thread *thread);

/* The functions below need a timer. */

/*
 * Closes it. `for_good`: it is not opened again.
 */
void sprof_timers_close(struct timers *timers, struct sprof_thread *thread, bool for_good);
/* Opens one with other copies of the stack in its place; without success it is closed for good. */
void sprof_timers_replace(struct timers *timers, struct sprof_thread *thread);
/* Varies its period, several times a second. */
void sprof_timers_pace(struct timers *timers, const struct sprof_thread *thread);
/* Hands over the records up to that time. */
void sprof_timers_take(struct timers *timers, struct sprof_thread *thread, uint64_t until_ns);
/*
 * Hands over the records of the program before the exec of its process, whose mappings are still
 * kept.
 */
void sprof_timers_take_former(struct timers *timers, struct sprof_thread *thread);
/* Counts all records as lost: those of a program from before an exec can't be named any more. */
void sprof_timers_drop(struct timers *timers, struct sprof_thread *thread);

#endif
