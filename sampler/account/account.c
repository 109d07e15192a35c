/*
 * Time accounting of one thread: no figure of the kernel is handed out twice.
 *
 * The CPU time is schedstat's (ns). stat splits it into user and system, in ticks that the kernel
 * has scaled to the same sum (kernel/sched/cputime.c, cputime_adjust). The split is taken over the
 * whole run, where its resolution hurts least.
 *
 * Wall time that is neither CPU time nor run-queue time is not all wait. A virtual machine's host
 * and interrupts take time that the kernel leaves out of both (kernel/sched/core.c,
 * update_rq_clock_task), and so does a ptrace-stop. Such time is "stolen". It can't be read for one
 * thread, so it is estimated:
 * - A thread neither seen blocked nor switched voluntarily did not sleep: all is stolen.
 * - A thread that slept: the time that it was stopped for samples is stolen.
 * - So is the wait that its samples can't explain: more than their blocked part plus one standard
 *   error. It is at most the CPUs' lost time in proportion to the thread's CPU time.
 *
 * A thread that sleeps and loses time within that margin keeps this time as wait. A wider margin
 * would keep more of it. A narrower one would take real wait: handed-out time is not taken back.
 */
#include "sampler/account/account.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/numbers.h"

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
		.is_worker = sprof_proc_is_worker(stat),
		.disk_ticks = stat->disk_ticks,
		.faults = stat->minor_faults + stat->major_faults,
	};

	if (!schedstat->cpu_ns)
		figures.cpu_ns = (stat->user_ticks + stat->system_ticks) * tick_ns();
	return figures;
}

/* The part of a class that was not handed out yet. A figure that went back hands out nothing. */
static uint64_t hand_out(struct sprof_account *account, enum sprof_time_class class, uint64_t total)
{
	uint64_t delta = sprof_minus(total, account->handed_out.ns[class]);

	account->handed_out.ns[class] += delta;
	return delta;
}

/* A look counts for all the time since the last one, so looks that were left out change nothing. */
void sprof_account_look(
	struct sprof_account *account, enum sprof_state state, uint64_t now_ns, uint64_t period_ns)
{
	const uint64_t passed = sprof_minus(now_ns, account->looked_ns) / period_ns;
	const uint64_t looks = passed ? passed : 1;

	account->looks += looks;
	if (sprof_state_is_blocked(state))
		account->blocked_looks += looks;
	account->looked_ns = now_ns;
}

void sprof_account_weigh(struct sprof_account *account, enum sprof_state state, uint64_t ns)
{
	if (!sprof_state_is_blocked(state))
		return;
	account->blocked[state] += ns ? ns : 1;
	account->last_blocked = state;
}

static uint64_t blocked_ns(const struct sprof_account *account)
{
	return account->blocked[SPROF_STATE_SLEEP] + account->blocked[SPROF_STATE_DISK] +
		account->blocked[SPROF_STATE_STOPPED];
}

/* The share of ns of a state, by the samples. Without samples, the last state seen gets all. */
static uint64_t part_of(const struct sprof_account *account, enum sprof_state state, uint64_t ns)
{
	uint64_t all = blocked_ns(account);

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
		disk = sprof_minus(
			sprof_minus(now->disk_ticks, account->start.disk_ticks) * tick_ns(),
			before[SPROF_TIME_DISK]);
	times->ns[SPROF_TIME_DISK] = disk < ns ? disk : ns;
	times->ns[SPROF_TIME_SLEEP] = ns - times->ns[SPROF_TIME_DISK];
	for (int i = SPROF_TIME_SLEEP; i <= SPROF_TIME_STOPPED; i++)
		account->handed_out.ns[i] += times->ns[i];
	for (int i = 0; i < SPROF_STATE_COUNT; i++)
		account->blocked[i] = 0;
}

/* Blocked time so far, including the time kept for later. */
static uint64_t waited(const struct sprof_account *account)
{
	const uint64_t *out = account->handed_out.ns;

	return out[SPROF_TIME_SLEEP] + out[SPROF_TIME_DISK] + out[SPROF_TIME_STOPPED] +
		account->kept_ns;
}

/* The time of a gap was divided without the switches. From now on, they determine it again. */
static void resume_record(struct sprof_account *account, const struct sprof_figures *now)
{
	account->off_base_ns = (int64_t)(waited(account) - now->off.ns + now->runq_ns);
	account->off_wait_base_ns = (int64_t)(waited(account) - now->off.wait_ns);
	account->off_gaps = now->off.gaps;
}

static void note_last(struct sprof_account *account, const struct sprof_figures *now)
{
	account->last.time_ns = now->time_ns;
	account->last.faults = now->faults;
	account->last.disk_ticks = now->disk_ticks;
	if (now->has_switches)
		account->last.switches = now->switches;
}

void sprof_account_init(struct sprof_account *account, const struct sprof_figures *start)
{
	*account = (struct sprof_account){
		.start = {start->time_ns, start->cpu_ns, start->runq_ns, start->user_ticks,
			start->system_ticks, start->disk_ticks, start->cpus},
		.looked_ns = start->time_ns,
	};
	note_last(account, start);
	resume_record(account, start);
}

/* Time since the beginning that was not handed out, nor kept for later. */
static uint64_t left_over(const struct sprof_account *account, const struct sprof_figures *now)
{
	uint64_t handed_out = account->kept_ns;

	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		handed_out += account->handed_out.ns[i];
	return sprof_minus(sprof_minus(now->time_ns, account->start.time_ns), handed_out);
}

/* The part of the left-over time that is not wait. */
static uint64_t stolen_of(
	struct sprof_account *account, const struct sprof_figures *now, uint64_t left)
{
	const uint64_t stood = sprof_least(left, now->stood_ns);
	const uint64_t wall = sprof_minus(now->time_ns, account->start.time_ns);
	const uint64_t cpu = sprof_minus(now->cpu_ns, account->start.cpu_ns);
	const uint64_t worked =
		sprof_minus(now->cpus.worked_ticks, account->start.cpus.worked_ticks);
	const uint64_t lost_ticks =
		sprof_minus(now->cpus.lost_ticks, account->start.cpus.lost_ticks);
	const double all = (double)account->looks, blocked = (double)account->blocked_looks;
	const double margin = sqrt(blocked * (all - blocked) / (all ? all : 1)) + 3;
	uint64_t most_wait = wall, lost = 0;

	/* If the kernel's count of switches is not known, the thread may have slept. */
	if (!blocked_ns(account) && now->has_switches && now->switches <= account->last.switches)
		return left;
	left -= stood;
	/* The longest wait that the thread's samples allow. */
	if (blocked + margin < all)
		most_wait = (uint64_t)((double)wall * (blocked + margin) / all);
	/* The time that the machine's CPUs have lost, in proportion to the thread's CPU time. */
	if (worked)
		lost = (uint64_t)((__uint128_t)cpu * lost_ticks / worked);
	lost = sprof_least(sprof_minus(lost, account->lost_ns),
		sprof_minus(waited(account) + left, most_wait));
	lost = sprof_least(lost, left);
	account->lost_ns += lost;
	return stood + lost;
}

/*
 * The wait that the recorded switches determine, and that was not handed out yet. After a stop,
 * some time passes until the thread is in the run queue: at most the time in waits is wait.
 */
static int64_t recorded_wait(const struct sprof_account *account, const struct sprof_figures *now)
{
	const int64_t off = (int64_t)(now->off.ns - now->runq_ns) + account->off_base_ns,
		      most = (int64_t)now->off.wait_ns + account->off_wait_base_ns;

	return (off < most ? off : most) - (int64_t)waited(account);
}

/* Divides left-over time: wait is kept, stolen time is returned. */
static uint64_t divide(struct sprof_account *account, const struct sprof_figures *now)
{
	const uint64_t left = left_over(account, now);
	const bool has_gap = now->off.gaps != account->off_gaps;
	const int64_t wait = recorded_wait(account, now);
	uint64_t stolen;

	/* The recorded switches determine the wait. */
	if (now->off.is_known && !has_gap)
		stolen = wait > 0 ? sprof_minus(left, (uint64_t)wait) : left;
	else
		stolen = stolen_of(account, now, left);
	account->kept_ns += left - stolen;
	if (now->off.is_known && has_gap)
		resume_record(account, now);
	account->handed_out.ns[SPROF_TIME_STOLEN] += stolen;
	return stolen;
}

/*
 * What is not CPU time. The kernel adds a wait for a CPU all at once when the wait is over
 * (kernel/sched/stats.h, sched_info_arrive). The part before the first figures, or already handed
 * out as something else, may not fit into the time that is left; then the wait is cut to that time.
 */
static void advance_off(struct sprof_account *account, const struct sprof_figures *now,
	bool is_last, struct sprof_times *times)
{
	const uint64_t runq = sprof_least(sprof_minus(now->runq_ns, account->start.runq_ns),
		account->handed_out.ns[SPROF_TIME_RUNQ] + left_over(account, now));

	times->ns[SPROF_TIME_RUNQ] = hand_out(account, SPROF_TIME_RUNQ, runq);
	times->ns[SPROF_TIME_STOLEN] = divide(account, now);
	note_last(account, now);
	if (!is_last && !blocked_ns(account))
		return;
	split_blocked(account, now, account->kept_ns, times);
	account->kept_ns = 0;
}

struct sprof_times sprof_account_advance(
	struct sprof_account *account, const struct sprof_figures *now, bool is_last)
{
	const uint64_t *before = account->handed_out.ns;
	uint64_t cpu = sprof_minus(now->cpu_ns, account->start.cpu_ns);
	uint64_t user_ticks = sprof_minus(now->user_ticks, account->start.user_ticks);
	uint64_t system_ticks = sprof_minus(now->system_ticks, account->start.system_ticks);
	uint64_t user = cpu;
	struct sprof_times times = {0};

	if (now->is_worker)
		user = 0;
	else if (system_ticks)
		user = (uint64_t)((__uint128_t)cpu * user_ticks / (user_ticks + system_ticks));

	/* If the split of user and system time moved, neither class shrinks. */
	if (user < before[SPROF_TIME_USER])
		user = before[SPROF_TIME_USER];
	if (cpu - (user < cpu ? user : cpu) < before[SPROF_TIME_SYS])
		user = sprof_minus(cpu, before[SPROF_TIME_SYS]);
	times.ns[SPROF_TIME_USER] = hand_out(account, SPROF_TIME_USER, user);
	times.ns[SPROF_TIME_SYS] = hand_out(account, SPROF_TIME_SYS, sprof_minus(cpu, user));
	advance_off(account, now, is_last, &times);
	return times;
}

static uint64_t cpu_handed_out(const struct sprof_account *account)
{
	return account->handed_out.ns[SPROF_TIME_USER] + account->handed_out.ns[SPROF_TIME_SYS];
}

bool sprof_account_has_slept(
	const struct sprof_account *account, const struct sprof_proc_schedstat *now)
{
	return now->cpu_ns == account->start.cpu_ns + cpu_handed_out(account) &&
		now->runq_ns == account->start.runq_ns + account->handed_out.ns[SPROF_TIME_RUNQ];
}

struct sprof_times sprof_account_sleep(
	struct sprof_account *account, const struct sprof_figures *now)
{
	struct sprof_figures figures = *now;
	struct sprof_times times = {0};

	figures.cpu_ns = account->start.cpu_ns + cpu_handed_out(account);
	figures.runq_ns = account->start.runq_ns + account->handed_out.ns[SPROF_TIME_RUNQ];
	figures.faults = account->last.faults;
	/* The kernel counts a wait for a disk when it is over. */
	figures.disk_ticks = account->blocked[SPROF_STATE_DISK] ? 0 : account->last.disk_ticks;
	advance_off(account, &figures, false, &times);
	return times;
}
