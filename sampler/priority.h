/*
 * How the kernel schedules the calling thread: policy, nice level, time slice, timer slack.
 */
#ifndef SPROF_SAMPLER_PRIORITY_H
#define SPROF_SAMPLER_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

struct sprof_proc_stat;

/* struct sched_attr of sched_setattr(2); the C library of Debian 12 has neither it nor the call. */
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

/* Reads the calling thread's. */
void sprof_priority_init(struct sprof_priority *own);

/*
 * Asks for a short time slice and a higher nice level where that is permitted, and for exact timers. A policy
 * other than SCHED_OTHER is one that the user chose: nothing of it is changed.
 */
void sprof_priority_raise(const struct sprof_priority *own);

/* Gives the thread back what it had. */
void sprof_priority_restore(const struct sprof_priority *own);

/* Whether we get no CPU time beside a thread with these figures, while it wants the CPU. */
bool sprof_priority_is_starved_by(
	const struct sprof_priority *own, const struct sprof_proc_stat *stat);

#endif
