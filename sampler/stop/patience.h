/*
 * How long a tick waits for its stops.
 */
#ifndef SPROF_SAMPLER_STOP_PATIENCE_H
#define SPROF_SAMPLER_STOP_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Of one tick. All times in ns of any one clock. */
struct patience {
	uint64_t deadline_ns; /* for threads that may be waiting for a CPU */
	uint64_t vain_ns;     /* how much longer it may wait for the others without a stop */
	uint64_t since_ns;    /* of the last stop, or request, or end of the wait */
};

/*
 * A tick begins. `period`: the time between ticks; a part of it may be spent. A `thorough` tick is
 * the last one for some time: it waits for more CPUs, and for each thread as long as for one that
 * should stop at once.
 */
void sprof_patience_begin(struct patience *patience, uint64_t now, uint64_t period, bool thorough);

/*
 * A thread has just stopped, or some have been asked: returns until when to wait for the next.
 * `soon`: one of them should have a CPU, and stop at once.
 */
uint64_t sprof_patience_deadline(struct patience *patience, uint64_t now, bool soon);

/* Ends the wait: no stop has come since the last one. */
void sprof_patience_end(struct patience *patience, uint64_t now);

/* The tick waits for more: the time since the end of the last wait does not count. */
void sprof_patience_go_on(struct patience *patience, uint64_t now);

#endif
