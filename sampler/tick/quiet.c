/*
 * Leaves out the looks at the sleepers of a large process as long as none of them can have run: its
 * CPU clock (clock_getcpuclockid(3)) equals the sum of the times of its threads, including ended
 * ones. A thread that only waits in the run queue does not change the clock; its wait is seen once
 * it runs.
 *
 * The kernel adds a running thread's time to the clock at its own ticks, up to 10 ms late
 * (kernel/sched/cputime.c, thread_group_cputime), so the start of a burst may be noticed that late.
 * After a burst, every thread is looked at for a while; otherwise samples would favour the ends of
 * bursts.
 */
#include "sampler/tick/quiet.h"

#include "base/clock.h"

enum {
	MANY_THREADS = 16, /* with fewer threads, the clock costs more than the looks it saves */
	/* bursts that come more often than that are sampled without bias */
	BURSTS_NS = SPROF_NS_PER_S / 8,
	/* the kernel may add the time of a running thread between the readings */
	TRIES = 2,
};

static struct known_quiet *quiet_of(const struct sprof_process *process)
{
	struct sampled_process *sampled = process->sampling;

	return &sampled->quiet;
}

static bool is_large(const struct sprof_process *process)
{
	return process->threads >= MANY_THREADS;
}

/* A tick begins. The tick before looked at all sleepers of every process that was not quiet. */
static bool begin(struct known_quiet *quiet, bool is_large, uint64_t last_ns)
{
	if (!quiet->is_quiet && quiet->has_rest && quiet->moved_ns != last_ns)
		quiet->known_rest_ns = quiet->rest_ns;
	quiet->was_quiet = quiet->is_quiet;
	quiet->is_quiet = quiet->has_awake = quiet->has_rest = false;
	quiet->last_waiters = quiet->waiters;
	quiet->waiters = quiet->threads_ns = 0;
	return is_large;
}

static bool is_asleep(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled && sampled->sleep.active;
}

/* Of one that sleeps: up to its sleep. */
static uint64_t cpu_ns_of(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled->ledger.last.figures.cpu_ns;
}

/* Those that are known to sleep need no reading. */
static void add_threads(const struct sprof_world *world)
{
	struct sprof_proc_schedstat now;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		struct known_quiet *quiet = quiet_of(threads[i]->process);

		if (is_asleep(threads[i])) {
			quiet->threads_ns += cpu_ns_of(threads[i]);
			continue;
		}
		quiet->has_awake = true;
		if (is_large(threads[i]->process) &&
			world->read_schedstat(world->data, threads[i], &now))
			quiet->threads_ns += now.cpu_ns;
	}
}

/* The clock is read right after the threads. */
static void judge(
	const struct sprof_world *world, const struct sprof_process *process, uint64_t tick_ns)
{
	struct sampled_process *sampled = process->sampling;
	struct known_quiet *quiet = &sampled->quiet;

	quiet->rest_ns =
		world->process_cpu_ns(world->data, process, &sampled->clock) - quiet->threads_ns;
	quiet->threads_ns = 0;
	quiet->has_rest = true;
	quiet->is_quiet =
		quiet->rest_ns == quiet->known_rest_ns && tick_ns > quiet->moved_ns + BURSTS_NS;
	if (quiet->is_quiet)
		quiet->quiet_ns = tick_ns;
}

/* Returns whether all large processes are quiet. */
static bool judge_all(const struct run *run, uint64_t tick_ns)
{
	const struct sprof_world *world = run->world;
	struct sprof_process **processes;
	bool are_quiet = true;
	size_t count;

	add_threads(world);
	processes = world->processes(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (!is_large(processes[i]))
			continue;
		judge(world, processes[i], tick_ns);
		/* Right after a burst, another reading would not help. */
		are_quiet &= quiet_of(processes[i])->is_quiet ||
			tick_ns <= quiet_of(processes[i])->moved_ns + BURSTS_NS;
	}
	return are_quiet;
}

bool sprof_quiet_look(const struct run *run, const struct quiet_tick *tick)
{
	const struct sprof_world *world = run->world;
	struct sprof_process **processes;
	size_t count;
	bool any_large = false, any_woken = false;

	processes = world->processes(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		any_large |= begin(quiet_of(processes[i]), is_large(processes[i]), tick->last_ns);
		if (!is_large(processes[i]))
			sprof_cpu_clock_close(
				&((struct sampled_process *)processes[i]->sampling)->clock);
	}
	if (any_large && !tick->closing && !run->quality->schedstat_missing) {
		for (int tries = TRIES; tries && !judge_all(run, tick->ns); tries--)
			;
	}
	for (size_t i = 0; i < count; i++)
		any_woken |= sprof_quiet_has_woken(quiet_of(processes[i]));
	return any_woken;
}

bool sprof_quiet_has_woken(const struct known_quiet *quiet)
{
	return quiet->was_quiet && !quiet->is_quiet;
}

void sprof_quiet_moved(struct known_quiet *quiet, uint64_t tick_ns)
{
	quiet->moved_ns = tick_ns;
}
