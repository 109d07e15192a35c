/*
 * How many ticks a look stands for: where a source takes the samples of those who run, some ticks have no look.
 */
#ifndef SPROF_SAMPLER_TICK_WEIGHT_H
#define SPROF_SAMPLER_TICK_WEIGHT_H

#include <stdint.h>

#include "attach/proc/procfs.h"
#include "attach/thread.h"

struct sampled;
struct ticking;

/*
 * The ticks that a look at the thread stands for: none from before its birth, nor what its former sleep has, or what
 * the records of a timer have told that was closed meanwhile, as at an exec.
 */
uint32_t sprof_weight_of_look(const struct ticking *ticking, const struct sprof_thread *thread);

/* The ticks that a peek stands for: not those that a covered thread has spent awake, or asleep before that. */
uint32_t sprof_weight_of_sleep(const struct ticking *ticking, const struct sprof_thread *thread,
	const struct sprof_proc_schedstat *now);

/* Ticks in which it slept, too, but no look has met it: they are told once. */
uint32_t sprof_weight_take_naps(const struct ticking *ticking, const struct sprof_thread *thread);

/* The ticks that are lost where a look finds nothing: of one that has records, they tell what was before. */
uint32_t sprof_weight_of_lost(const struct ticking *ticking, const struct sprof_thread *thread);

/* The ticks without a look in which a thread has slept on, before it woke. */
uint32_t sprof_weight_slept_on(const struct ticking *ticking, const struct sampled *sampled,
	const struct sprof_proc_schedstat *now);

#endif
