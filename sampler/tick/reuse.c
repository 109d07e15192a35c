/*
 * Reuse: a thread seen asleep whose count of time slices has not moved has not executed an
 * instruction, so its last sample is repeated. Every tick looks at each thread that may have run;
 * quiet.c finds those that can't have. Does not handle a thread's first sample.
 */
#include "sampler/tick/reuse.h"

#include "sampler/tick/quiet.h"

enum {
	/* a sleeper without a look gets its time this often per second */
	SKIPS_SHARE = 2,
	/* waiters of a process whose lock holder is looked up in one tick */
	WAITERS_PER_TICK = 128,
};

static struct known_quiet *quiet_of(const struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	return &process->quiet;
}

static void observe(
	struct sprof_thread *thread, uint64_t time_ns, uint32_t times, struct observation *ret)
{
	const struct sampled *sampled = thread->sampling;

	*ret = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_REUSE,
		.time_ns = time_ns,
		.times = times,
		.state = sampled->last.state,
		.end = sampled->last.end,
	};
}

bool sprof_reuse_credit(struct sprof_thread *thread, uint64_t time_ns, struct observation *ret)
{
	uint32_t skipped = sprof_sampled_credited(thread->sampling);

	observe(thread, time_ns, skipped, ret);
	ret->is_past = true;
	return skipped;
}

/* Its lock may have a new holder, or the holder may have moved. */
static bool may_change_hands(const struct sprof_thread *thread, const struct lock_watch *lock)
{
	bool is_in_doubt = lock->own_ns && lock->holder_id == SPROF_RECORD_NONE;

	return lock->active &&
		(is_in_doubt || quiet_of(thread)->has_awake ||
			!sprof_futex_is_private(&lock->futex));
}

/* Whether its time is due: it is handed out now and then all the same. */
static bool has_skipped_enough(const struct run *run, const struct known_sleep *sleep)
{
	return sleep->skipped >= (uint32_t)(run->options->rate_hz / SKIPS_SHARE);
}

/* Very many sleepers take turns over the ticks. Each look covers all ticks since the last. */
static bool is_its_turn(const struct sprof_thread *thread, uint64_t tick)
{
	uint64_t turns = quiet_of(thread)->waiters / WAITERS_PER_TICK + 1;

	return (tick + thread->id) % turns == 0;
}

/* The thread has not run, because no sleeper of its process has. */
static bool is_spared(
	const struct run *run, const struct sprof_thread *thread, const struct reuse_tick *tick)
{
	const struct sampled *sampled = thread->sampling;

	return quiet_of(thread)->is_quiet && !has_skipped_enough(run, &sampled->sleep) &&
		(!may_change_hands(thread, &sampled->wait.lock) ||
			!is_its_turn(thread, tick->number));
}

static bool has_moved(
	const struct run *run, struct sprof_thread *thread, struct sprof_proc_schedstat *ret)
{
	const struct sampled *sampled = thread->sampling;

	if (run->world->read_schedstat(run->world->data, thread, ret))
		return sampled->sleep.timeslices != ret->timeslices;
	ret->timeslices = sampled->sleep.timeslices;
	return true;
}

enum reuse_outcome sprof_reuse(const struct run *run, struct sprof_thread *thread,
	const struct reuse_tick *tick, struct reused *reused)
{
	struct observation *ret = &reused->observation;
	struct sampled *sampled = thread->sampling;

	if (is_spared(run, thread, tick)) {
		sprof_sampled_skipped(sampled, tick->weight);
		return REUSE_SPARED;
	}
	if (!quiet_of(thread)->is_quiet && has_moved(run, thread, &reused->moved)) {
		sprof_quiet_moved(quiet_of(thread), tick->ns);
		return REUSE_MOVED;
	}
	observe(thread, tick->ns, sprof_sampled_credited(sampled) + tick->weight, ret);
	return REUSE_TAKEN;
}
