/*
 * Sets the calling thread's affinity. Does not help if several threads stop alternately: the others
 * continue to run while one is served.
 */
#include "events/functions/follow-cpu.h"

#include <sched.h>

enum { LOOK_AT = 64 }; /* check the CPU after this many stops: the check takes as long as one */

void sprof_follow_cpu_init(struct sprof_follow_cpu *follow)
{
	*follow = (struct sprof_follow_cpu){.cpu = -1};
	if (!sprof_cpu_set_of(0, &follow->allowed))
		follow->allowed = (struct sprof_cpu_set){0};
}

void sprof_follow_cpu_end(struct sprof_follow_cpu *follow)
{
	if (follow->cpu >= 0)
		sprof_cpu_set_confine(0, &follow->allowed);
	follow->cpu = -1;
}

static void move_to(struct sprof_follow_cpu *follow, int cpu)
{
	const struct sprof_cpu_set there = sprof_cpu_set_only(cpu);

	if (cpu == follow->cpu || !sprof_cpu_set_has(&follow->allowed, cpu))
		return;
	if (sprof_cpu_set_confine(0, &there))
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

bool sprof_follow_cpu_is_elsewhere(struct sprof_thread *thread)
{
	struct sprof_proc_stat stat;

	return sprof_thread_read_stat(thread, &stat) && stat.processor != sched_getcpu();
}
