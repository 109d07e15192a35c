/*
 * Sets of CPUs, of machines of any size. The C library's cpu_set_t has room for 1024; on a larger
 * machine sched_getaffinity(2) refuses it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

enum { SPROF_CPU_SET_SIZE = 8192 /* the kernel's limit, CONFIG_NR_CPUS */ };

/* Zeroed is empty. */
struct sprof_cpu_set {
	unsigned long words[SPROF_CPU_SET_SIZE / (8 * sizeof(unsigned long))];
};

/* A number outside [0, SPROF_CPU_SET_SIZE) is ignored, and is in no set. */
void sprof_cpu_set_add(struct sprof_cpu_set *cpus, int cpu);
bool sprof_cpu_set_has(const struct sprof_cpu_set *cpus, int cpu);
size_t sprof_cpu_set_count(const struct sprof_cpu_set *cpus);

struct sprof_cpu_set sprof_cpu_set_only(int cpu);
struct sprof_cpu_set sprof_cpu_set_join(
	const struct sprof_cpu_set *one, const struct sprof_cpu_set *other);
struct sprof_cpu_set sprof_cpu_set_without(
	const struct sprof_cpu_set *one, const struct sprof_cpu_set *others);

/*
 * The CPUs that a thread may run on; tid 0: the caller. Returns false if it is gone, or not
 * permitted.
 */
SPROF_MUST_USE bool sprof_cpu_set_of(pid_t tid, struct sprof_cpu_set *ret);
/* Restricts a thread to these CPUs. Returns false, and changes nothing, if refused. */
bool sprof_cpu_set_confine(pid_t tid, const struct sprof_cpu_set *cpus);
