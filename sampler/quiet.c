/*
 * Sparing the look at each sleeper of a large process. Exact, by two facts together:
 *
 * - Nothing but ourselves is runnable on the machine at this moment (/proc/loadavg). So no thread of the process
 *   runs, and whatever has run before has been taken off its CPU, where the kernel adds up its time.
 * - The process's CPU clock (clock_getcpuclockid(3)) stands where it stood before the looks of the last tick. So
 *   nothing has run since.
 *
 * The clock alone would not do: the kernel adds a running thread's time to it at its own ticks only, up to 10 ms
 * late (kernel/sched/cputime.c, thread_group_cputime). Where other programs run, every thread is looked at. The
 * same where /proc/loadavg is not the kernel's: containers may have one of their own, seconds old.
 */
#include "sampler/quiet.h"

#include <time.h>

#include "base/clock.h"
#include "sampler/sampler-internal.h"

enum { MANY_THREADS = 16 }; /* the clock of fewer costs more than the looks that it spares */

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

static bool has_stood_still(struct sprof_process *process, bool is_alone)
{
	uint64_t clock_ns = is_large(process) ? read_clock(process->pid) : 0;
	bool same = clock_ns && clock_ns == process->clock_ns;

	process->clock_ns = clock_ns;
	return same && is_alone;
}

/* As of the tick before: a holder of a lock was there until then, too. */
static void flush(struct sampler *sampler, const struct sprof_process *process)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->process == process && threads[i]->sampling)
			sprof_reuse_flush(sampler, threads[i]);
	}
	sprof_samples_flush(sampler, NULL);
}

void sprof_quiet_look(struct sampler *sampler)
{
	struct sprof_process **processes;
	uint64_t now_ns = sampler->tick.ns;
	bool is_alone;
	size_t count;

	processes = sprof_target_processes(sampler->parts->target, &count);
	/* Before the clocks: what runs now would not be in them. */
	is_alone = !sampler->tick.closing && has_large(processes, count) &&
		sprof_hop_is_alone(&sampler->hop);
	for (size_t i = 0; i < count; i++) {
		bool was_quiet = processes[i]->is_quiet;

		processes[i]->is_quiet = has_stood_still(processes[i], is_alone);
		if (!was_quiet || processes[i]->is_quiet)
			continue;
		sampler->tick.ns = sampler->tick.last_ns;
		flush(sampler, processes[i]);
		sampler->tick.ns = now_ns;
	}
}
