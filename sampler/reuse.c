/*
 * Reuse: a thread that was seen asleep and whose count of time slices has not moved since has not executed
 * an instruction: its sample is the one before. A thread that may have run is looked at in every tick; who
 * may not have is told by quiet.c. Does not handle where a first sample comes from.
 */
#include "sampler/reuse.h"

#include "sampler/sampler-internal.h"

enum { SKIPS_SHARE = 2 }; /* of a second, in which a sleeper that is not looked at gets its time */

static void repeat(struct sampler *sampler, struct sprof_thread *thread, uint32_t times)
{
	struct sampling *sampling = thread->sampling;

	if (!times || !sprof_mode_takes(sampler->options->mode, sampling->last.state))
		return;
	sprof_samples_emit(sampler, thread, times);
	sampler->quality->samples_reused += times;
	sampler->quality->stacks[sampling->last.end] += times;
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

/* Another process may have changed hands with the lock that it waits for. */
static bool is_shared(const struct lock_watch *lock)
{
	return lock->active && !sprof_futex_is_private(&lock->futex);
}

/* It has not run, for nobody of its process has. Its time is handed out all the same, now and then. */
static bool may_skip(const struct sampler *sampler, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return thread->process->is_quiet && !is_shared(&sampling->wait.lock) &&
		sampling->sleep.skipped < (uint32_t)(sampler->options->rate_hz / SKIPS_SHARE);
}

static void reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	uint32_t skipped = sampling->sleep.skipped;

	sampling->sleep.skipped = 0;
	repeat(sampler, thread, skipped + 1);
	sprof_charge_window(sampler, thread);
}

bool sprof_reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct known_sleep *sleep = &sampling->sleep;
	struct sprof_proc_schedstat schedstat;

	if (may_skip(sampler, thread)) {
		sleep->skipped++;
		sprof_samples_stays(sampler, thread);
		return true;
	}
	if (sprof_thread_read_schedstat(thread, &schedstat) &&
		sleep->timeslices == schedstat.timeslices) {
		reuse(sampler, thread);
		return true;
	}
	sprof_reuse_flush(sampler, thread);
	sleep->active = false;
	return false;
}
