/*
 * Hopping between CPUs. Knows affinity and nice levels of the calling thread, and nothing of targets.
 * Every call may fail without harm: the plain stop is right too, only dearer.
 */
#include "sampler/hop.h"

#include <errno.h>
#include <sys/resource.h>

enum { RAISED_NICE = -15 };

void sprof_hop_init(struct sprof_hop *hop)
{
	CPU_ZERO(&hop->allowed);
	CPU_ZERO(&hop->busy);
	hop->usable = !sched_getaffinity(0, sizeof(hop->allowed), &hop->allowed) &&
		CPU_COUNT(&hop->allowed) > 1;
	errno = 0;
	hop->nice = getpriority(PRIO_PROCESS, 0);
	sprof_hop_resume(hop);
}

void sprof_hop_to(struct sprof_hop *hop, int cpu)
{
	cpu_set_t there;

	if (!hop->usable || cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &hop->allowed))
		return;
	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	CPU_SET(cpu, &hop->busy);
	sched_setaffinity(0, sizeof(there), &there);
}

void sprof_hop_away(struct sprof_hop *hop)
{
	cpu_set_t others;

	if (!hop->usable || !CPU_COUNT(&hop->busy))
		return;
	CPU_XOR(&others, &hop->allowed, &hop->busy);
	CPU_ZERO(&hop->busy);
	if (!CPU_COUNT(&others))
		others = hop->allowed;
	sched_setaffinity(0, sizeof(others), &others);
}

void sprof_hop_restore(const struct sprof_hop *hop)
{
	if (hop->usable)
		sched_setaffinity(0, sizeof(hop->allowed), &hop->allowed);
	setpriority(PRIO_PROCESS, 0, hop->nice);
}

/* On Linux the nice level of process 0 is the calling thread's (setpriority(2), "C library/kernel differences"). */
void sprof_hop_resume(const struct sprof_hop *hop)
{
	if (hop->nice > RAISED_NICE)
		setpriority(PRIO_PROCESS, 0, RAISED_NICE);
}
