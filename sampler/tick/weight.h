/*
 * How many ticks a look counts for: where timers sample the running threads, some ticks have no
 * look.
 */
#ifndef SPROF_SAMPLER_TICK_WEIGHT_H
#define SPROF_SAMPLER_TICK_WEIGHT_H

#include <stdint.h>

#include "attach/proc/procfs.h"
#include "attach/thread.h"

struct sampled;
struct ticking;

/*
 * The ticks that a look at the thread counts for. Excludes ticks before its birth, ticks credited
 * to its last sleep, and ticks covered by a timer that was closed meanwhile, as at an exec.
 */
uint32_t sprof_weight_of_look(const struct ticking *ticking, const struct sprof_thread *thread);

/*
 * The ticks that a peek counts for. Excludes ticks that a thread with records has spent awake, or
 * asleep before that.
 */
uint32_t sprof_weight_of_sleep(const struct ticking *ticking, const struct sprof_thread *thread,
	const struct sprof_proc_schedstat *now);

/* Takes the ticks in which it slept, too, but which no look has seen. Each is returned once. */
uint32_t sprof_weight_take_naps(const struct ticking *ticking, const struct sprof_thread *thread);

/*
 * The ticks to count as lost if a look finds nothing. 1 if the thread has records: they cover the
 * earlier ticks.
 */
uint32_t sprof_weight_of_lost(const struct ticking *ticking, const struct sprof_thread *thread);

/* The ticks without a look in which a thread has slept on, before it woke. */
uint32_t sprof_weight_slept_on(const struct ticking *ticking, const struct sampled *sampled,
	const struct sprof_proc_schedstat *now);

#endif
