/*
 * Timers in the kernel: a source of samples of running threads (source.h) that stops them only for
 * what the kernel does not tell.
 */
#ifndef SPROF_SAMPLER_KERNEL_H
#define SPROF_SAMPLER_KERNEL_H

#include "sampler/pauses.h"
#include "sampler/run.h"
#include "sampler/source.h"
#include "sampler/stops.h"
#include "sampler/timers.h"

struct kernel {
	const struct run *run;
	const struct source_listener *listener; /* gets what the stops give, too */
	struct source_listener between;         /* the listener of the stops */
	struct stops stopping;
	struct sprof_source stops;
	struct source_tick tick;
	uint64_t last_ns; /* the tick before */
	uint64_t room_ns; /* the least that a timer's ring has room for */
	struct timers timers;
};

/*
 * Fills in the source. It has stops of its own; the caller keeps all pointed-to objects alive longer
 * than it.
 */
void sprof_kernel_init(struct kernel *kernel, const struct run *run,
	const struct source_listener *listener, struct sprof_pauses *pauses,
	struct sprof_source *ret);

#endif
