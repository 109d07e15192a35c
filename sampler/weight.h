/*
 * How many ticks a look stands for: where a source takes the samples of those who run, some ticks have no look.
 */
#ifndef SPROF_SAMPLER_WEIGHT_H
#define SPROF_SAMPLER_WEIGHT_H

#include <stdint.h>

#include "attach/procfs.h"
#include "attach/thread.h"

struct sampled;
struct ticking;

/*
 * The ticks that the tick which begins stands for, for whoever slept through them. Where ticks had no look, it is all
 * time since the last tick, planned or not; else 1. A tick that comes early stands for one all the same, and the
 * next one for less.
 */
uint32_t sprof_weight_of_tick(struct ticking *ticking);

/* The ticks that a look at the thread stands for: none from before its birth, nor what its former sleep has. */
uint32_t sprof_weight_of_look(const struct ticking *ticking, const struct sprof_thread *thread);

/* The ticks that a peek stands for: not those that a covered thread has spent awake, or asleep before that. */
uint32_t sprof_weight_of_sleep(const struct ticking *ticking, const struct sprof_thread *thread,
	const struct sprof_proc_schedstat *now);

/* Ticks in which it slept, too, but no look has met it: they are told once. */
uint32_t sprof_weight_take_naps(const struct ticking *ticking, const struct sprof_thread *thread);

/* The ticks without a look in which a thread has slept on, before it woke. */
uint32_t sprof_weight_slept_on(const struct ticking *ticking, const struct sampled *sampled,
	const struct sprof_proc_schedstat *now);

#endif
