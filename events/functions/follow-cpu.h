/*
 * Moves the tracer to the CPU of the thread that it serves: the stop is then a context switch on
 * one CPU, which takes half the time of waking another CPU.
 */
#pragma once

#include <stdbool.h>
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

/*
 * Whether a thread that has stopped was on another CPU than the tracer. That decides what a stop
 * costs the thread: to wake a tracer on another CPU may take six times as long. The time between
 * two stops does not show it.
 */
bool sprof_follow_cpu_is_elsewhere(struct sprof_thread *thread);

/* Restores the original affinity. */
void sprof_follow_cpu_end(struct sprof_follow_cpu *follow);
