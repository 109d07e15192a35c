/*
 * Sets of CPUs, of machines of any size. The C library's cpu_set_t has room for 1024; on a larger machine
 * sched_getaffinity(2) refuses it.
 */
#ifndef SPROF_BASE_CPU_SET_H
#define SPROF_BASE_CPU_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

enum { SPROF_CPU_SET_SIZE = 8192 /* the kernel's limit, CONFIG_NR_CPUS */ };

/* Zeroed is empty. */
struct sprof_cpu_set {
	unsigned long words[SPROF_CPU_SET_SIZE / (8 * sizeof(unsigned long))];
};

/* A number that no CPU has is left out, and in no set. */
void sprof_cpu_set_add(struct sprof_cpu_set *cpus, int cpu);
bool sprof_cpu_set_has(const struct sprof_cpu_set *cpus, int cpu);
size_t sprof_cpu_set_count(const struct sprof_cpu_set *cpus);

struct sprof_cpu_set sprof_cpu_set_only(int cpu);
struct sprof_cpu_set sprof_cpu_set_join(
	const struct sprof_cpu_set *one, const struct sprof_cpu_set *other);
/* Those of one that are not among the others. */
struct sprof_cpu_set sprof_cpu_set_without(
	const struct sprof_cpu_set *one, const struct sprof_cpu_set *others);

/* Where a thread may run; tid 0: the caller. False: it is gone, or may not be asked. */
SPROF_MUST_USE bool sprof_cpu_set_of(pid_t tid, struct sprof_cpu_set *ret);
/* Where it is to run. False: refused; nothing has changed. */
bool sprof_cpu_set_confine(pid_t tid, const struct sprof_cpu_set *cpus);

#endif
