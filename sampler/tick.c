/*
 * One tick: for every thread the cheapest way to a sample that is still exact. Reuse: it has not run since
 * it was seen asleep. Peek: it sleeps. Stop: it runs. Knows which; how is in the files of these names.
 */
#include "sampler/sampler-internal.h"

#include "base/clock.h"
#include "sampler/quiet.h"

enum { CPU_AGE_NS = 50 * SPROF_NS_PER_MS };

/* A thread that has not had a CPU yet has no stack of its own. */
static bool has_run(const struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_schedstat schedstat;

	if (!sampling->cpu.has_run)
		sampling->cpu.has_run = sampler->quality->schedstat_missing ||
			(sprof_thread_read_schedstat(thread, &schedstat) && schedstat.timeslices);
	return sampling->cpu.has_run;
}

/* True: the sample is taken, or there is nothing to take. */
static bool look_at_blocked(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_syscall call;

	if (!sprof_thread_read_schedstat(thread, &schedstat))
		return true;
	if (!sprof_thread_read_syscall(thread, &call))
		return !thread->process->denied || sprof_denied_take(sampler, thread, &schedstat);
	if (call.kind == SPROF_PROC_SYSCALL_RUNNING)
		return false;
	if (call.sp)
		return sprof_peek(sampler, thread, &schedstat, &call);
	/* It has left its last CPU: a leader that has ended before its threads, or one that is still to be reported. */
	sprof_charge_ended(sampler, thread);
	return true;
}

/*
 * Whether it runs, and where. stat tells both, and costs more than all else that is read in a tick; so
 * the CPU of a thread that goes on running is believed for a while. Where that is wrong, the stop takes
 * longer, and is right all the same.
 */
static bool runs(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct known_cpu *cpu = &sampling->cpu;
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	if (thread->process->maps_can_ask && cpu->seen_ns + CPU_AGE_NS > sampler->tick.ns &&
		sprof_thread_read_syscall(thread, &call)) {
		/* Its page faults are not known either: cheap to doubt where a mapping can be asked for. */
		thread->process->change++;
		return call.kind == SPROF_PROC_SYSCALL_RUNNING;
	}
	cpu->seen_ns = 0;
	if (!sprof_thread_read_stat(thread, &stat))
		return false;
	sprof_mappings_doubt(thread, &stat);
	cpu->number = stat.processor;
	cpu->pinned = sprof_hop_is_pinned(thread->tid);
	cpu->starves = sprof_priority_is_starved_by(&sampler->hop.own, &stat);
	if (stat.state == 'R')
		cpu->seen_ns = sampler->tick.ns;
	return stat.state == 'R';
}

/* Most threads of most programs: asleep as before. */
static bool is_settled(struct sampler *sampler, struct sprof_thread *thread)
{
	const struct sampling *sampling = sprof_sampling_of(sampler, thread);

	if (!sampling)
		return true;
	return sampling->sleep.active ? sprof_reuse(sampler, thread) : !has_run(sampler, thread);
}

static void look(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	if (!runs(sampler, thread) && look_at_blocked(sampler, thread))
		return;
	if (sampler->options->mode == SPROF_MODE_WAIT && !sampler->tick.closing)
		return;
	if (thread->phase == SPROF_THREAD_RUNNING || thread->phase == SPROF_THREAD_INTERRUPTED)
		sprof_stops_add(sampler, thread, &(struct slot_before){.cpu = sampling->cpu.number});
}

static bool has_had_its_turn(const struct sampler *sampler, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling && sampling->tick_ns == sampler->tick.ns;
}

static void take_turn(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling;

	if (!thread->process->maps_read_ns)
		sprof_mappings_read(sampler, thread->process);
	if (!sprof_thread_has_figures(thread) && !is_settled(sampler, thread))
		look(sampler, thread);
	sampling = thread->sampling;
	if (sampling)
		sampling->tick_ns = sampler->tick.ns;
}

/*
 * Among many threads those that run are stopped while others are still to be looked at: their work may be a short
 * burst. Threads may end meanwhile, and the last one of the table takes the place of one that is gone. So the table
 * is walked from its end: all that have not had their turn are before the place.
 */
static void take_turns(struct sampler *sampler)
{
	size_t i = SIZE_MAX, count;

	for (;;) {
		struct sprof_thread **threads = sprof_target_threads(sampler->parts->target, &count);

		i = i < count ? i : count;
		if (!i)
			return;
		i--;
		if (has_had_its_turn(sampler, threads[i]))
			continue;
		take_turn(sampler, threads[i]);
		if (sprof_stops_are_due(sampler))
			sprof_stops_take(sampler);
	}
}

void sprof_tick(struct sampler *sampler)
{
	size_t count;

	sampler->tick.last_ns = sampler->tick.ns;
	sampler->tick.ns = sprof_clock_now_ns();
	sampler->tick.patience = (struct patience){0};
	sampler->tick.running = sampler->tick.planned = 0;
	sprof_target_threads(sampler->parts->target, &count);
	sampler->tick.thread_count = (uint32_t)count;
	sprof_quiet_look(sampler);
	take_turns(sampler);
	sprof_stops_take(sampler);
	sprof_samples_flush(sampler, NULL);
}
