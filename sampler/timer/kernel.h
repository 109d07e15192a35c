/* Timers in the kernel sample running threads, which are stopped only for their exact figures. */
#ifndef SPROF_SAMPLER_TIMER_KERNEL_H
#define SPROF_SAMPLER_TIMER_KERNEL_H

#include "sampler/loop/run.h"
#include "sampler/stop/stops.h"
#include "sampler/timer/timers.h"

struct kernel {
	const struct run *run;
	struct book *book;
	struct stops *stops;
	struct source_tick tick;
	uint64_t last_ns; /* the tick before */
	uint64_t room_ns; /* the least time that a timer's ring has room for */
	struct timers timers;
};

/* The caller keeps all pointed-to objects alive longer. */
void sprof_kernel_init(struct kernel *kernel, struct book *book, struct stops *stops);
void sprof_kernel_finish(struct kernel *kernel);

/* Begins a tick, before the stops begin theirs. */
void sprof_kernel_begin(struct kernel *kernel, const struct source_tick *tick);
/* Hands over what has been recorded of a sampled thread between the ticks. */
void sprof_kernel_gather(struct kernel *kernel, struct sprof_thread *thread);
/*
 * Call after the look: the records that were just handed over share the CPU time, unless the look
 * has already given it to them.
 */
void sprof_kernel_share(struct kernel *kernel, struct sprof_thread *thread);
/* Any event of the target, before others handle it: a thread may be gone afterwards. */
void sprof_kernel_hear(struct kernel *kernel, const struct sprof_event *event);
/* No ticks follow for a while: closes all timers. */
void sprof_kernel_rest(struct kernel *kernel);
/* Asks the stops, unless records are enough. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_kernel_ask(struct kernel *kernel, const struct ask *ask);
/*
 * Whether records cover the thread, so that it needs no ticks. A sleeper needs ticks, which find it
 * asleep.
 */
bool sprof_kernel_covers(const struct sprof_thread *thread);
/* After the tick's stops: leaves the CPUs that threads of the target run on. */
void sprof_kernel_leave_their_cpus(struct kernel *kernel);

#endif
