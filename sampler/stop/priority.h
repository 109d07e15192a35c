/*
 * How the kernel schedules the calling thread: policy, nice level, time slice, timer slack.
 */
#ifndef SPROF_SAMPLER_STOP_PRIORITY_H
#define SPROF_SAMPLER_STOP_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

/* struct sched_attr of sched_setattr(2); the C library of Debian 12 lacks both. */
struct sprof_sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* What the thread had before anything was changed. */
struct sprof_priority {
	bool known;
	struct sprof_sched_attributes attributes;
	int slack_ns;
};

/* Reads the values of the calling thread. */
void sprof_priority_init(struct sprof_priority *own);

/*
 * Asks for a short time slice and exact timers, and for a higher nice level if that is permitted. A
 * policy other than SCHED_OTHER is the user's choice and is kept as it is.
 */
void sprof_priority_raise(const struct sprof_priority *own);

/* Restores what the thread had before. */
void sprof_priority_restore(const struct sprof_priority *own);

/* Rises with the priority of a real-time thread (sched(7)). 0: it is none. */
uint64_t sprof_priority_rank(uint64_t policy, uint64_t priority);
/* Whether a thread of this rank leaves us no CPU time while it runs. */
bool sprof_priority_is_starved_by(const struct sprof_priority *own, uint64_t rank);

#endif
