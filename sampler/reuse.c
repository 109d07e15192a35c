/*
 * Reuse: a thread that was seen asleep and whose count of time slices has not moved since has not executed
 * an instruction: its sample is the one before. A thread that may have run is looked at in every tick; who
 * may not have is told by quiet.c. Does not handle where a first sample comes from.
 */
#include "sampler/reuse.h"

#include "sampler/sampler-internal.h"

enum {
	SKIPS_SHARE = 2,        /* of a second, in which a sleeper that is not looked at gets its time */
	WAITERS_PER_TICK = 128, /* how many waiters of a process look for the holder of their lock in one tick */
};

static void repeat(struct sampler *sampler, struct sprof_thread *thread, uint32_t times)
{
	struct sampling *sampling = thread->sampling;

	if (!times || !sprof_mode_takes(sampler->options->mode, sampling->last.state))
		return;
	sprof_samples_emit(sampler, thread, times);
	sampler->quality->samples_reused += times;
	sprof_walk_count(sampler->quality, sampling->last.end, sampling->last.way, times);
}

void sprof_reuse_flush(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	uint32_t skipped = sampling->sleep.skipped;

	sampling->sleep.skipped = 0;
	sampler->tick.is_past = true;
	repeat(sampler, thread, skipped);
	sampler->tick.is_past = false;
}

/* Somebody may have come to have the lock that it waits for, or be somewhere else with it. */
static bool may_change_hands(const struct sprof_thread *thread, const struct lock_watch *lock)
{
	return lock->active &&
		(thread->process->quiet.has_awake || !sprof_futex_is_private(&lock->futex));
}

/* Its time is handed out all the same, now and then. */
static bool has_skipped_enough(const struct sampler *sampler, const struct known_sleep *sleep)
{
	return sleep->skipped >= (uint32_t)(sampler->options->rate_hz / SKIPS_SHARE);
}

static void reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	uint32_t skipped = sampling->sleep.skipped;

	sampling->sleep.skipped = 0;
	repeat(sampler, thread, skipped + 1);
	sprof_charge_window(sampler, thread);
}

/* Of very many in turns, so that all ticks are spoken for; each speaks for those since its last turn as well. */
static bool is_its_turn(const struct sampler *sampler, const struct sprof_thread *thread)
{
	uint64_t turns = thread->process->quiet.waiters / WAITERS_PER_TICK + 1;

	return (sampler->pace.schedule.ticks + thread->id) % turns == 0;
}

/* It has not run, for no sleeper of its process has. */
static void spare(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	if (has_skipped_enough(sampler, &sampling->sleep) ||
		(may_change_hands(thread, &sampling->wait.lock) && is_its_turn(sampler, thread))) {
		reuse(sampler, thread);
		return;
	}
	sampling->sleep.skipped++;
	sprof_samples_stays(sampler, thread);
}

void sprof_reuse_begin(const struct sampler *sampler, struct known_sleep *sleep,
	const struct sprof_proc_schedstat *schedstat)
{
	sleep->timeslices = schedstat->timeslices;
	sleep->cpu_ns = schedstat->cpu_ns;
	sleep->active = !sampler->quality->schedstat_missing;
}

bool sprof_reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct known_sleep *sleep = &sampling->sleep;
	struct sprof_proc_schedstat schedstat;

	if (thread->process->quiet.is_quiet) {
		spare(sampler, thread);
		return true;
	}
	if (sprof_thread_read_schedstat(thread, &schedstat) &&
		sleep->timeslices == schedstat.timeslices) {
		reuse(sampler, thread);
		return true;
	}
	thread->process->quiet.moved_ns = sampler->tick.ns;
	sprof_reuse_flush(sampler, thread);
	sleep->active = false;
	return false;
}
