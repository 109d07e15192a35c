/*
 * The tracer on the CPU of the thread that it serves: a stop then is a switch on one CPU, which takes
 * half the time of waking another one.
 */
#ifndef SPROF_EVENTS_FOLLOW_CPU_H
#define SPROF_EVENTS_FOLLOW_CPU_H

#include <stdint.h>

#include "attach/thread.h"
#include "base/cpu-set.h"

struct sprof_follow_cpu {
	struct sprof_cpu_set allowed; /* where the tracer may be without us */
	uint32_t thread;              /* the one that is served */
	unsigned stops;               /* of it, in a row */
	int cpu;                      /* -1: the tracer is free */
};

/* Of the calling thread. */
void sprof_follow_cpu_init(struct sprof_follow_cpu *follow);

/* A thread has stopped. While others stop in between, the tracer is free. */
void sprof_follow_cpu_take(struct sprof_follow_cpu *follow, struct sprof_thread *thread);

/* The tracer is free. */
void sprof_follow_cpu_end(struct sprof_follow_cpu *follow);

#endif
