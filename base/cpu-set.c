/*
 * Bits of a set by CPU. The kernel accepts a set of any size that has room for all its CPUs
 * (kernel/sched/syscalls.c, sched_getaffinity).
 */
#include "base/cpu-set.h"

#include <sched.h>

enum { BITS = 8 * sizeof(unsigned long), WORDS = SPROF_CPU_SET_SIZE / BITS };

static bool is_cpu(int cpu)
{
	return cpu >= 0 && cpu < SPROF_CPU_SET_SIZE;
}

void sprof_cpu_set_add(struct sprof_cpu_set *cpus, int cpu)
{
	if (is_cpu(cpu))
		cpus->words[cpu / BITS] |= 1ul << cpu % BITS;
}

bool sprof_cpu_set_has(const struct sprof_cpu_set *cpus, int cpu)
{
	return is_cpu(cpu) && cpus->words[cpu / BITS] >> cpu % BITS & 1;
}

size_t sprof_cpu_set_count(const struct sprof_cpu_set *cpus)
{
	size_t count = 0;

	for (size_t i = 0; i < WORDS; i++)
		count += (size_t)__builtin_popcountl(cpus->words[i]);
	return count;
}

struct sprof_cpu_set sprof_cpu_set_only(int cpu)
{
	struct sprof_cpu_set cpus = {0};

	sprof_cpu_set_add(&cpus, cpu);
	return cpus;
}

struct sprof_cpu_set sprof_cpu_set_join(
	const struct sprof_cpu_set *one, const struct sprof_cpu_set *other)
{
	struct sprof_cpu_set cpus;

	for (size_t i = 0; i < WORDS; i++)
		cpus.words[i] = one->words[i] | other->words[i];
	return cpus;
}

struct sprof_cpu_set sprof_cpu_set_without(
	const struct sprof_cpu_set *one, const struct sprof_cpu_set *others)
{
	struct sprof_cpu_set cpus;

	for (size_t i = 0; i < WORDS; i++)
		cpus.words[i] = one->words[i] & ~others->words[i];
	return cpus;
}

bool sprof_cpu_set_of(pid_t tid, struct sprof_cpu_set *ret)
{
	struct sprof_cpu_set cpus = {0};

	if (sched_getaffinity(tid, sizeof(cpus), (cpu_set_t *)cpus.words))
		return false;
	*ret = cpus;
	return true;
}

bool sprof_cpu_set_confine(pid_t tid, const struct sprof_cpu_set *cpus)
{
	return !sched_setaffinity(tid, sizeof(*cpus), (const cpu_set_t *)cpus->words);
}
