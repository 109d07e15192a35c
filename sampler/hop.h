/*
 * On which CPU sprof runs while it stops a thread, and while it does not.
 *
 * A thread that is interrupted from its own CPU is merely preempted: it stops as soon as sprof waits,
 * and sprof is next. From another CPU the stop costs an inter-processor interrupt and a wake-up, all
 * while the thread stands still: ten times as much.
 */
#ifndef SPROF_SAMPLER_HOP_H
#define SPROF_SAMPLER_HOP_H

#include <sched.h>
#include <stdbool.h>

struct sprof_hop {
	cpu_set_t allowed; /* what the user gave us */
	cpu_set_t busy;    /* where threads of the target were found running */
	bool usable;       /* more than one CPU, and affinity may be changed */
	int nice;          /* before we raised it */
};

/* Raises the calling thread's nice level where that is permitted; never to a real-time class. */
void sprof_hop_init(struct sprof_hop *hop);

/* Goes to a CPU, if it is among the allowed ones. */
void sprof_hop_to(struct sprof_hop *hop, int cpu);

/* Leaves the CPUs that were hopped to since the last call, for others if there are any. */
void sprof_hop_away(struct sprof_hop *hop);

/* Gives the thread back the affinity and the nice level that it had: for forks, and at the end. */
void sprof_hop_restore(const struct sprof_hop *hop);
void sprof_hop_resume(const struct sprof_hop *hop);

#endif
