/*
 * A thread of ours that tries CPUs before sprof goes there. A real-time thread of another program may hold
 * us up there for a second, and with us a thread of the target that waits for us; nothing tells
 * beforehand where there is one.
 */
#ifndef SPROF_SAMPLER_SCOUT_H
#define SPROF_SAMPLER_SCOUT_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct sprof_scout;

/* It has the scheduling of the calling thread. NULL: none can be had. */
struct sprof_scout *sprof_scout_new(void);
/* NULL is accepted. Does not wait for a scout that is held up: it ends by itself. */
void sprof_scout_free(struct sprof_scout *scout);

/*
 * The CPU, of these, where it got time within `within_ns`, less than a second ago. -1: there is none. Then it
 * sets out for one, unless it is on its way, or was held up within the last two seconds.
 */
int sprof_scout_find(struct sprof_scout *scout, const cpu_set_t *cpus, uint64_t within_ns);

#endif
