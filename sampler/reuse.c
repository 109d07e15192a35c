/*
 * Reuse: a thread that was seen asleep and whose count of time slices has not moved since has not executed
 * an instruction: its sample is the one before. Knows how seldom long sleepers are looked at; refuses to
 * know where a first sample comes from.
 */
#include "sampler/reuse.h"

#include "sampler/sampler-internal.h"

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
	struct known_sleep *sleep = &sampling->sleep;

	repeat(sampler, thread, sleep->skipped);
	sleep->ticks = sleep->skip = sleep->skipped = 0;
}

/*
 * How many ticks a sleeper need not be looked at. With many threads the look at each is what a tick
 * costs; one that has slept for long goes on sleeping, and if it has, no sample differs. If it has not,
 * up to this many of its samples are a little late: their time comes from the kernel all the same.
 */
static uint32_t patience(const struct sampler *sampler, const struct known_sleep *sleep)
{
	uint32_t by_sleep = sleep->ticks / 2, by_threads = sampler->tick.thread_count / 32;
	uint32_t by_rate = (uint32_t)(sampler->options->rate_hz / 4);
	uint32_t ticks = by_sleep < by_threads ? by_sleep : by_threads;

	return ticks < by_rate ? ticks : by_rate;
}

static void reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct known_sleep *sleep = &sampling->sleep;

	repeat(sampler, thread, sleep->skipped + 1);
	sleep->ticks += sleep->skipped + 1;
	sleep->skipped = 0;
	sleep->skip = patience(sampler, sleep);
	sprof_charge_window(sampler, thread);
}

bool sprof_reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct known_sleep *sleep = &sampling->sleep;
	struct sprof_proc_schedstat schedstat;

	if (sleep->skip && !sampler->tick.closing) {
		sleep->skip--;
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
