/*
 * Time accounting of one thread. Knows what the kernel's figures mean and that none of them may ever
 * be handed out twice; refuses to know samples.
 *
 * The CPU time is schedstat's (ns). stat splits it into user and system, in ticks that the kernel has
 * scaled to the same sum (kernel/sched/cputime.c, cputime_adjust); the split is taken over the whole
 * run, where its resolution hurts least.
 */
#include "sampler/account.h"

#include <unistd.h>

#include "base/clock.h"

struct sprof_figures sprof_figures_make(uint64_t time_ns,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_stat *stat)
{
	struct sprof_figures figures = {
		.time_ns = time_ns,
		.cpu_ns = schedstat->cpu_ns,
		.runq_ns = schedstat->runq_ns,
		.user_ticks = stat->user_ticks,
		.system_ticks = stat->system_ticks,
	};

	if (!schedstat->cpu_ns && !schedstat->timeslices)
		figures.cpu_ns = (stat->user_ticks + stat->system_ticks) *
			(SPROF_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
	return figures;
}

void sprof_account_init(struct sprof_account *account, const struct sprof_figures *start)
{
	*account = (struct sprof_account){.start = *start};
}

static uint64_t since(uint64_t now, uint64_t start)
{
	return now > start ? now - start : 0;
}

/* The part of a class that has not been handed out yet; a figure that went back hands out nothing. */
static uint64_t hand_out(struct sprof_account *account, enum sprof_time_class class, uint64_t total)
{
	uint64_t delta = since(total, account->handed_out.ns[class]);

	account->handed_out.ns[class] += delta;
	return delta;
}

static uint64_t user_part(uint64_t cpu, uint64_t user_ticks, uint64_t system_ticks)
{
	if (!system_ticks)
		return cpu;
	return (uint64_t)((__uint128_t)cpu * user_ticks / (user_ticks + system_ticks));
}

struct sprof_times sprof_account_advance(
	struct sprof_account *account, const struct sprof_figures *now)
{
	const struct sprof_figures *start = &account->start;
	const uint64_t *before = account->handed_out.ns;
	uint64_t wall = since(now->time_ns, start->time_ns);
	uint64_t cpu = since(now->cpu_ns, start->cpu_ns);
	uint64_t runq = since(now->runq_ns, start->runq_ns);
	uint64_t user = user_part(cpu, since(now->user_ticks, start->user_ticks),
		since(now->system_ticks, start->system_ticks));
	struct sprof_times times;

	/* A split that moved must not take back what one side was given. */
	if (user < before[SPROF_TIME_USER])
		user = before[SPROF_TIME_USER];
	if (cpu - (user < cpu ? user : cpu) < before[SPROF_TIME_SYS])
		user = since(cpu, before[SPROF_TIME_SYS]);
	times.ns[SPROF_TIME_USER] = hand_out(account, SPROF_TIME_USER, user);
	times.ns[SPROF_TIME_SYS] = hand_out(account, SPROF_TIME_SYS, since(cpu, user));
	times.ns[SPROF_TIME_RUNQ] = hand_out(account, SPROF_TIME_RUNQ, runq);
	times.ns[SPROF_TIME_WAIT] =
		hand_out(account, SPROF_TIME_WAIT, since(since(wall, cpu), runq));
	return times;
}
