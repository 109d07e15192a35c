/*
 * Reuse: a thread seen asleep whose count of time slices has not moved has not executed an
 * instruction, so its last sample is repeated. Does not handle a thread's first sample.
 *
 * The looks at the sleepers of a large process are left out as long as none of them can have run: its
 * CPU clock (clock_getcpuclockid(3)) equals the sum of the times of its threads, including ended
 * ones. A thread that only waits in the run queue does not change the clock; its wait is seen once
 * it runs.
 *
 * The kernel adds a running thread's time to the clock at its own ticks, up to 10 ms late
 * (kernel/sched/cputime.c, thread_group_cputime), so the start of a burst may be noticed that late.
 * After a burst, every thread is looked at for a while; otherwise samples would favour the ends of
 * bursts.
 */
#include "sampler/tick/reuse.h"

#include "base/clock.h"

enum {
	MANY_THREADS = 16, /* with fewer threads, the clock costs more than the looks it saves */
	/* bursts that come more often than that are sampled without bias */
	BURSTS_NS = SPROF_NS_PER_S / 8,
	/* the kernel may add the time of a running thread between the readings */
	TRIES = 2,
};

/* the most waiters of a process for which one tick looks up the lock's holder */
enum { WAITERS_PER_TICK = 128 };

/* The interval at which a sleeper gets its time. */
static const uint64_t LOOK_NS = SPROF_NS_PER_S / 2;

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

	return sampled->sleep.cpu_ns;
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

static void observe(struct sprof_thread *thread, uint64_t time_ns, const struct ledger_look *look,
	struct observation *ret)
{
	const struct sampled *sampled = thread->sampling;

	*ret = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_REUSE,
		.time_ns = time_ns,
		.state = sampled->last.state,
		.end = sampled->last.end,
		.look = *look,
	};
}

/* Its lock may have a new holder, or the holder may have moved. */
static bool may_change_hands(const struct sprof_thread *thread, const struct lock_watch *lock)
{
	bool is_in_doubt = lock->own_ns && !lock->holder_tid;

	return lock->futex.address &&
		(is_in_doubt || quiet_of(thread->process)->has_awake ||
			!sprof_futex_is_private(&lock->futex));
}

/* Very many sleepers take turns over the ticks. Each look covers all ticks since the last. */
static bool is_its_turn(const struct sprof_thread *thread, uint64_t tick)
{
	uint64_t turns = quiet_of(thread->process)->last_waiters / WAITERS_PER_TICK + 1;

	return (tick + thread->id) % turns == 0;
}

bool sprof_reuse_is_spared(const struct sprof_thread *thread, const struct reuse_tick *tick)
{
	const struct sampled *sampled = thread->sampling;

	if (!sampled || !sampled->sleep.active)
		return false;
	quiet_of(thread->process)->waiters += tick->is_first && sampled->wait.lock.futex.address;
	return quiet_of(thread->process)->is_quiet &&
		tick->ns < sampled->ledger.last.time_ns + LOOK_NS &&
		(!may_change_hands(thread, &sampled->wait.lock) ||
			!is_its_turn(thread, tick->number));
}

static bool has_moved(const struct run *run, struct sprof_thread *thread, struct ledger_look *ret)
{
	const struct sampled *sampled = thread->sampling;

	if (!run->world->read_schedstat(run->world->data, thread, &ret->figures))
		ret->time_ns = 0;
	return !ret->time_ns || sampled->sleep.timeslices != ret->figures.timeslices;
}

bool sprof_reuse(
	const struct run *run, struct sprof_thread *thread, uint64_t tick_ns, struct reused *reused)
{
	const struct sampled *sampled = thread->sampling;

	reused->look = (struct ledger_look){now_of(run), sampled->ledger.last.figures};
	if (!quiet_of(thread->process)->is_quiet && has_moved(run, thread, &reused->look)) {
		quiet_of(thread->process)->moved_ns = tick_ns;
		return false;
	}
	observe(thread, tick_ns, &reused->look, &reused->observation);
	return true;
}
