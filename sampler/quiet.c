/*
 * Sparing the look at each sleeper of a large process, by three facts that are read in this order:
 *
 * - Of its threads that are not known to sleep, and of those of all other processes, it is known which run, and how
 *   much CPU time each has used. Neither has changed when the other two facts are read.
 * - Only they and we are runnable on the machine (/proc/loadavg). So no sleeper runs at this moment, and one that has
 *   run before has been taken off its CPU, where the kernel adds up its time.
 * - The process's CPU clock (clock_getcpuclockid(3)) is the sum of what was known of its threads, and of those that
 *   have ended. So no sleeper has run since the last look at it.
 *
 * The clock alone would not do: the kernel adds a running thread's time to it at its own ticks only, up to 10 ms
 * late (kernel/sched/cputime.c, thread_group_cputime). Where other programs run, every thread is looked at. The
 * same where /proc/loadavg is not the kernel's: containers may have one of their own, seconds old.
 *
 * A look at very many threads takes as long as a short burst of work, and comes late for the last of them; a quiet
 * tick is never late. To take turns would favour the ends of bursts. So no look is spared soon after a burst.
 *
 * Does not see a sleeper that runs at the very moment at which another thread has just used up its group's cpu.max:
 * that one is ready, but not among the runnable. The next tick finds that the sleeper has run.
 */
#include "sampler/quiet.h"

#include <time.h>

#include "base/clock.h"
#include "sampler/sampler-internal.h"

enum {
	MANY_THREADS = 16, /* the clock of fewer costs more than the looks that it spares */
	AWAKE_MAX = 64,    /* the same, of more that are awake */
	BURSTS_NS = SPROF_NS_PER_S / 8, /* those that come more often than that are seen without favour */
};

/* A thread that is not known to sleep. */
struct awake {
	struct sprof_thread *thread;
	struct sprof_proc_schedstat schedstat;
	bool runs; /* or is ready to */
};

struct scene {
	struct awake awake[AWAKE_MAX];
	size_t count, running;
};

/* The clock of all threads together, those that have ended too. 0: it can't be read. */
static uint64_t read_clock(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * SPROF_NS_PER_S + (uint64_t)time.tv_nsec;
}

static bool is_large(const struct sprof_process *process)
{
	return process->threads >= MANY_THREADS;
}

static bool has_large(struct sprof_process *const *processes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_large(processes[i]))
			return true;
	}
	return false;
}

/* A tick begins. In the one before, all sleepers of a process that was not quiet have been looked at. */
static void begin(const struct tick *tick, struct sprof_process_quiet *quiet)
{
	if (!quiet->is_quiet && quiet->has_rest && quiet->moved_ns != tick->last_ns) {
		quiet->known_rest_ns = quiet->rest_ns;
		quiet->knows_rest = true;
	}
	quiet->was_quiet = quiet->is_quiet;
	quiet->is_quiet = quiet->has_rest = quiet->has_awake = false;
	quiet->seen_ns = quiet->waiters = 0;
}

static bool see(struct sprof_thread *thread, struct awake *ret)
{
	struct sprof_proc_syscall call;

	ret->thread = thread;
	if (sprof_thread_has_figures(thread) || !sprof_thread_read_schedstat(thread, &ret->schedstat) ||
		!sprof_thread_read_syscall(thread, &call))
		return false;
	ret->runs = call.kind == SPROF_PROC_SYSCALL_RUNNING;
	return true;
}

static bool is_unchanged(const struct awake *awake)
{
	struct awake now;

	return see(awake->thread, &now) && now.runs == awake->runs &&
		now.schedstat.cpu_ns == awake->schedstat.cpu_ns &&
		now.schedstat.timeslices == awake->schedstat.timeslices;
}

static bool add_awake(struct scene *scene, struct sprof_thread *thread)
{
	struct sprof_process_quiet *quiet = &thread->process->quiet;
	struct awake *awake = &scene->awake[scene->count];

	if (scene->count == AWAKE_MAX || !see(thread, awake))
		return false;
	scene->count++;
	scene->running += awake->runs;
	quiet->has_awake = true;
	quiet->seen_ns += awake->schedstat.cpu_ns;
	return true;
}

static void add_asleep(struct sprof_process_quiet *quiet, const struct sampling *sampling)
{
	quiet->seen_ns += sampling->sleep.cpu_ns;
	quiet->waiters += sampling->wait.lock.active;
}

/* False: of some thread it can't be told whether it runs. */
static bool see_all(const struct sampler *sampler, struct scene *scene)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		const struct sampling *sampling = threads[i]->sampling;

		if (sampling && sampling->sleep.active)
			add_asleep(&threads[i]->process->quiet, sampling);
		else if (!add_awake(scene, threads[i]))
			return false;
	}
	return true;
}

static bool are_unchanged(const struct scene *scene)
{
	for (size_t i = 0; i < scene->count; i++) {
		if (!is_unchanged(&scene->awake[i]))
			return false;
	}
	return true;
}

static void read_rest(struct sprof_process *process)
{
	uint64_t clock_ns = is_large(process) ? read_clock(process->pid) : 0;

	process->quiet.has_rest = clock_ns;
	process->quiet.rest_ns = clock_ns - process->quiet.seen_ns;
}

static void judge(const struct tick *tick, struct sprof_process_quiet *quiet)
{
	quiet->is_quiet = quiet->has_rest && quiet->knows_rest &&
		quiet->rest_ns == quiet->known_rest_ns && tick->ns > quiet->moved_ns + BURSTS_NS;
}

static void look(struct sampler *sampler, struct sprof_process **processes, size_t count)
{
	struct scene scene = {.count = 0};
	bool is_known;

	if (sampler->tick.closing || sampler->quality->schedstat_missing || !has_large(processes, count))
		return;
	is_known = see_all(sampler, &scene);
	sampler->tick.running = scene.running;
	if (!is_known || !sprof_hop_are_alone(&sampler->hop, scene.running))
		return;
	for (size_t i = 0; i < count; i++)
		read_rest(processes[i]);
	if (are_unchanged(&scene)) {
		for (size_t i = 0; i < count; i++)
			judge(&sampler->tick, &processes[i]->quiet);
		return;
	}
	for (size_t i = 0; i < count; i++)
		processes[i]->quiet.has_rest = false;
}

/* As of the tick before: a holder of a lock was there until then, too. */
static void flush(struct sampler *sampler)
{
	uint64_t now_ns = sampler->tick.ns;
	struct sprof_thread **threads;
	size_t count;

	sampler->tick.ns = sampler->tick.last_ns;
	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		const struct sprof_process_quiet *quiet = &threads[i]->process->quiet;

		if (quiet->was_quiet && !quiet->is_quiet && threads[i]->sampling)
			sprof_reuse_flush(sampler, threads[i]);
	}
	sprof_samples_flush(sampler, NULL);
	sampler->tick.ns = now_ns;
}

void sprof_quiet_look(struct sampler *sampler)
{
	struct sprof_process **processes;
	bool any_woken = false;
	size_t count;

	processes = sprof_target_processes(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++)
		begin(&sampler->tick, &processes[i]->quiet);
	look(sampler, processes, count);
	for (size_t i = 0; i < count; i++)
		any_woken |= processes[i]->quiet.was_quiet && !processes[i]->quiet.is_quiet;
	if (any_woken)
		flush(sampler);
}
