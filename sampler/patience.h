/*
 * How long the stops of a tick are waited for.
 */
#ifndef SPROF_SAMPLER_PATIENCE_H
#define SPROF_SAMPLER_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* A tick's. All times in ns of any one clock. */
struct patience {
	uint64_t deadline_ns; /* for threads that may be waiting for a CPU */
	uint64_t vain_ns;     /* how much longer the others may be waited for in vain */
	uint64_t since_ns;    /* when the last one came, or was asked, or the wait was ended */
};

/*
 * A tick begins. `period`: what the ticks are apart, of which a part may be spent. A `thorough` tick is the
 * last one for some time: it waits for more CPUs, for each as long as any.
 */
void sprof_patience_begin(struct patience *patience, uint64_t now, uint64_t period, bool thorough);

/*
 * One has just stopped, or some have been asked: until when the next is waited for. `soon`: one of them
 * should have a CPU, and stop at once.
 */
uint64_t sprof_patience_deadline(struct patience *patience, uint64_t now, bool soon);

/* No more of them are waited for: what has passed since the last one was in vain. */
void sprof_patience_end(struct patience *patience, uint64_t now);

/* The tick has something more to wait for: what has passed since the end is not taken off. */
void sprof_patience_go_on(struct patience *patience, uint64_t now);

#endif
