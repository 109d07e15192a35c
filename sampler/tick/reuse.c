/*
 * Reuse: a thread seen asleep whose count of time slices has not moved has not executed an
 * instruction, so its last sample is repeated. Does not handle a thread's first sample.
 *
 * The looks at the sleepers of a large process are left out as long as none of them can have run:
 * its CPU clock (clock_getcpuclockid(3)) equals the sum of the times of its threads, including
 * ended ones. A wait in the run queue does not change the clock; it is seen once the thread runs.
 *
 * The kernel adds a running thread's time to the clock at its own ticks, up to 10 ms late
 * (kernel/sched/cputime.c, thread_group_cputime), so the start of a burst may be noticed that late.
 * After a burst, every thread is looked at for a while; otherwise samples would favour the ends of
 * bursts.
 */
#include "base/clock.h"
#include "sampler/tick/tick.h"

enum {
	MANY_THREADS = 16, /* with fewer threads, the clock costs more than the looks it saves */
	/* bursts that come more often than that are sampled without bias */
	BURSTS_NS = SPROF_NS_PER_S / 8,
	/* the kernel may add the time of a running thread between the readings */
	TRIES = 2,
	/* the most waiters of a process for which one tick looks up the lock's holder */
	WAITERS_PER_TICK = 128,
	/* The interval at which a sleeper gets its time. */
	LOOK_NS = SPROF_NS_PER_S / 2,
};

static bool is_large(const struct sprof_process *process)
{
	return process->threads >= MANY_THREADS;
}

/*
 * Adds up the CPU time of threads. Those that are known to sleep need no reading: they have what
 * they had when they fell asleep.
 */
static void add_threads(const struct run *run)
{
	const struct threads threads = threads_of(run);
	struct sprof_proc_schedstat now;

	for (size_t i = 0; i < threads.count; i++) {
		struct sprof_thread *thread = threads.items[i];
		struct known_quiet *quiet = &thread->process->sampling->quiet;

		if (thread->sampling && thread->sampling->sleep.active) {
			quiet->threads_ns += thread->sampling->ledger.last.figures.cpu_ns;
			continue;
		}
		quiet->has_awake = true;
		if (is_large(thread->process) && run->world->read_schedstat(thread, &now))
			quiet->threads_ns += now.cpu_ns;
	}
}

/* Reads the clocks right after the threads. Returns whether all large processes are quiet. */
static bool judge_all(const struct run *run)
{
	const uint64_t tick_ns = run->tick.ns;
	const struct processes processes = processes_of(run);
	bool are_quiet = true;

	add_threads(run);
	for (size_t i = 0; i < processes.count; i++) {
		struct sampled_process *sampled = processes.items[i]->sampling;
		struct known_quiet *quiet = &sampled->quiet;
		const bool is_burst = tick_ns <= quiet->moved_ns + BURSTS_NS;

		if (!is_large(processes.items[i]))
			continue;
		quiet->rest_ns =
			run->world->process_cpu_ns(&sampled->clock, processes.items[i]->pid) -
			quiet->threads_ns;
		quiet->threads_ns = 0;
		quiet->has_rest = true;
		quiet->is_quiet = quiet->rest_ns == quiet->known_rest_ns && !is_burst;
		if (quiet->is_quiet)
			quiet->quiet_ns = tick_ns;
		/* Right after a burst, another reading would not help. */
		are_quiet &= quiet->is_quiet || is_burst;
	}
	return are_quiet;
}

bool sprof_quiet_look(const struct run *run)
{
	const struct processes processes = processes_of(run);
	bool any_large = false, any_woken = false;

	for (size_t i = 0; i < processes.count; i++) {
		struct sampled_process *sampled = processes.items[i]->sampling;
		struct known_quiet *quiet = &sampled->quiet;

		/* The tick before looked at all sleepers of every process that was not quiet. */
		if (!quiet->is_quiet && quiet->has_rest && quiet->moved_ns != run->tick.last_ns)
			quiet->known_rest_ns = quiet->rest_ns;
		quiet->has_woken = quiet->is_quiet;
		quiet->is_quiet = quiet->has_awake = quiet->has_rest = false;
		quiet->last_waiters = quiet->waiters;
		quiet->waiters = quiet->threads_ns = 0;
		if (is_large(processes.items[i]))
			any_large = true;
		else
			sprof_cpu_clock_close(&sampled->clock);
	}
	if (any_large && !run->tick.closing && !run->quality->schedstat_missing) {
		for (int tries = TRIES; tries && !judge_all(run); tries--)
			;
	}
	for (size_t i = 0; i < processes.count; i++) {
		struct known_quiet *quiet = &processes.items[i]->sampling->quiet;

		quiet->has_woken &= !quiet->is_quiet;
		any_woken |= quiet->has_woken;
	}
	return any_woken;
}

/*
 * Its lock may have a new holder, or the holder may have moved. Very many sleepers take turns over
 * the ticks. Each look covers all ticks since the last.
 */
bool sprof_reuse_is_spared(const struct run *run, const struct sprof_thread *thread, bool is_first)
{
	const struct sampled *sampled = thread->sampling;
	const struct lock_watch *lock;
	struct known_quiet *quiet;
	bool has_news;

	if (!sampled || !sampled->sleep.active)
		return false;
	quiet = &thread->process->sampling->quiet;
	lock = &sampled->wait.lock;
	has_news = lock->futex.address &&
		((lock->own_ns && !lock->holder_tid) || quiet->has_awake ||
			!sprof_futex_is_private(&lock->futex));
	quiet->waiters += is_first && lock->futex.address;
	return quiet->is_quiet && run->tick.ns < sampled->ledger.last.time_ns + LOOK_NS &&
		!(has_news &&
			(run->tick.number + thread->id) %
					(quiet->last_waiters / WAITERS_PER_TICK + 1) ==
				0);
}

bool sprof_reuse(const struct run *run, struct sprof_thread *thread, struct observation *ret)
{
	const struct sampled *sampled = thread->sampling;
	struct known_quiet *quiet = &thread->process->sampling->quiet;

	*ret = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_REUSE,
		.time_ns = run->tick.ns,
		.state = sampled->last.state,
		.look = {now_of(run), sampled->ledger.last.figures},
	};
	if (quiet->is_quiet)
		return true;
	if (!run->world->read_schedstat(thread, &ret->look.figures))
		ret->look.time_ns = 0;
	if (ret->look.time_ns && sampled->sleep.timeslices == ret->look.figures.timeslices)
		return true;
	quiet->moved_ns = run->tick.ns;
	return false;
}
