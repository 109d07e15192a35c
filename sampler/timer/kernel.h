/*
 * Timers in the kernel: samples of running threads, which are stopped only for what the kernel does not tell.
 */
#ifndef SPROF_SAMPLER_TIMER_KERNEL_H
#define SPROF_SAMPLER_TIMER_KERNEL_H

#include "sampler/stop/pauses.h"
#include "sampler/loop/run.h"
#include "sampler/loop/source.h"
#include "sampler/stop/stops.h"
#include "sampler/timer/timers.h"

struct kernel {
	const struct run *run;
	const struct source_listener *listener; /* gets what the stops give, too */
	struct source_listener between;         /* the listener of the stops */
	struct stops *stops;
	struct source_tick tick;
	uint64_t last_ns; /* the tick before */
	uint64_t room_ns; /* the least that a timer's ring has room for */
	struct timers timers;
};

/* The stops get `between` as their listener. The caller keeps all pointed-to objects alive for longer. */
void sprof_kernel_init(struct kernel *kernel, const struct run *run,
	const struct source_listener *listener, struct stops *stops);
void sprof_kernel_finish(struct kernel *kernel);

/* Before the stops begin their tick. */
void sprof_kernel_begin(struct kernel *kernel, const struct source_tick *tick);
/* Hands over what has been recorded of a sampled thread between the ticks. */
void sprof_kernel_gather(struct kernel *kernel, struct sprof_thread *thread);
/* Any event of the target, before anybody handles it: a thread may be gone afterwards. */
void sprof_kernel_hear(struct kernel *kernel, const struct sprof_event *event);
/* There are no ticks for a while. */
void sprof_kernel_rest(struct kernel *kernel);
/* Asks the stops, unless records tell. False: no memory. */
SPROF_MUST_USE bool sprof_kernel_ask(struct kernel *kernel, const struct ask *ask);
/*
 * Whether it needs no ticks for a thread that it was just asked for: it tells of it all the same, unless the
 * thread sleeps, which this one has not done for a while.
 */
bool sprof_kernel_covers(const struct sprof_thread *thread);
/* Behind the tick's stops. */
void sprof_kernel_leave_their_cpus(struct kernel *kernel);

#endif
