/*
 * Sets the calling thread's affinity. Does not help if several threads stop alternately: the others
 * run on while one is served.
 */
#include "events/follow-cpu.h"

enum { LOOK_AT = 64 }; /* check the CPU after this many stops: the check takes as long as one */

void sprof_follow_cpu_init(struct sprof_follow_cpu *follow)
{
	*follow = (struct sprof_follow_cpu){.cpu = -1};
	if (sched_getaffinity(0, sizeof(follow->allowed), &follow->allowed))
		CPU_ZERO(&follow->allowed);
}

void sprof_follow_cpu_end(struct sprof_follow_cpu *follow)
{
	if (follow->cpu >= 0)
		sched_setaffinity(0, sizeof(follow->allowed), &follow->allowed);
	follow->cpu = -1;
}

static void move_to(struct sprof_follow_cpu *follow, int cpu)
{
	cpu_set_t there;

	if (cpu == follow->cpu || cpu < 0 || cpu >= CPU_SETSIZE ||
		!CPU_ISSET(cpu, &follow->allowed))
		return;
	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	if (!sched_setaffinity(0, sizeof(there), &there))
		follow->cpu = cpu;
}

void sprof_follow_cpu_take(struct sprof_follow_cpu *follow, struct sprof_thread *thread)
{
	struct sprof_proc_stat stat;

	if (thread->id != follow->thread) {
		sprof_follow_cpu_end(follow);
		follow->thread = thread->id;
		follow->stops = 0;
	}
	if (++follow->stops % LOOK_AT == 0 && sprof_thread_read_stat(thread, &stat))
		move_to(follow, stat.processor);
}
