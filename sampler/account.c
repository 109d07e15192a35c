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

static uint64_t tick_ns(void)
{
	return SPROF_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

struct sprof_figures sprof_figures_make(uint64_t time_ns,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_stat *stat)
{
	struct sprof_figures figures = {
		.time_ns = time_ns,
		.cpu_ns = schedstat->cpu_ns,
		.runq_ns = schedstat->runq_ns,
		.user_ticks = stat->user_ticks,
		.system_ticks = stat->system_ticks,
		.disk_ticks = stat->disk_ticks,
	};

	if (!schedstat->cpu_ns && !schedstat->timeslices)
		figures.cpu_ns = (stat->user_ticks + stat->system_ticks) * tick_ns();
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

void sprof_account_see(
	struct sprof_account *account, enum sprof_state state, uint32_t count)
{
	if (!sprof_state_is_blocked(state))
		return;
	account->blocked[state] += count;
	account->last_blocked = state;
}

static uint64_t blocked_samples(const struct sprof_account *account)
{
	return (uint64_t)account->blocked[SPROF_STATE_SLEEP] + account->blocked[SPROF_STATE_DISK] +
		account->blocked[SPROF_STATE_STOPPED];
}

/* The part of ns that belongs to a state by the samples; without any, all to the last one seen. */
static uint64_t part_of(const struct sprof_account *account, enum sprof_state state, uint64_t ns)
{
	uint64_t all = blocked_samples(account);

	if (!all)
		return account->last_blocked == state ? ns : 0;
	return (uint64_t)((__uint128_t)ns * account->blocked[state] / all);
}

/* Splits blocked time into its classes. */
static void split_blocked(struct sprof_account *account, const struct sprof_figures *now,
	uint64_t ns, struct sprof_times *times)
{
	const uint64_t *before = account->handed_out.ns;
	uint64_t disk = part_of(account, SPROF_STATE_DISK, ns);

	times->ns[SPROF_TIME_STOPPED] = part_of(account, SPROF_STATE_STOPPED, ns);
	ns -= times->ns[SPROF_TIME_STOPPED];
	if (now->disk_ticks)
		disk = since(since(now->disk_ticks, account->start.disk_ticks) * tick_ns(),
			before[SPROF_TIME_DISK]);
	times->ns[SPROF_TIME_DISK] = disk < ns ? disk : ns;
	times->ns[SPROF_TIME_SLEEP] = ns - times->ns[SPROF_TIME_DISK];
	for (int i = SPROF_TIME_SLEEP; i < SPROF_TIME_COUNT; i++)
		account->handed_out.ns[i] += times->ns[i];
	for (int i = 0; i < SPROF_STATE_COUNT; i++)
		account->blocked[i] = 0;
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
	times.ns[SPROF_TIME_SLEEP] = times.ns[SPROF_TIME_DISK] = times.ns[SPROF_TIME_STOPPED] = 0;
	if (now->more_to_come && !blocked_samples(account))
		return times;
	split_blocked(account, now,
		since(since(since(wall, cpu), runq), before[SPROF_TIME_SLEEP] +
				before[SPROF_TIME_DISK] + before[SPROF_TIME_STOPPED]),
		&times);
	return times;
}
