/*
 * Moves the tracer to the CPU of the thread that it serves: the stop is then a context switch on
 * one CPU, which takes half the time of waking another CPU.
 */
#pragma once

#include <stdint.h>

#include "attach/thread.h"
#include "base/cpu-set.h"

struct sprof_follow_cpu {
	struct sprof_cpu_set allowed; /* the original affinity of the tracer */
	uint32_t thread;              /* the thread being served */
	unsigned stops;               /* its consecutive stops */
	int cpu;                      /* -1: affinity not changed */
};

/* Reads the calling thread's affinity. */
void sprof_follow_cpu_init(struct sprof_follow_cpu *follow);

/*
 * A thread has stopped. If stops of several threads alternate, the original affinity is restored.
 */
void sprof_follow_cpu_take(struct sprof_follow_cpu *follow, struct sprof_thread *thread);

/* Restores the original affinity. */
void sprof_follow_cpu_end(struct sprof_follow_cpu *follow);
