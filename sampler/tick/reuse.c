/*
 * Reuse: a thread seen asleep whose count of time slices has not moved has not executed an
 * instruction, so its last sample is repeated. Every tick looks at each thread that may have run;
 * quiet.c finds those that can't have. Does not handle a thread's first sample.
 */
#include "sampler/tick/reuse.h"

#include "base/clock.h"
#include "sampler/tick/quiet.h"

/* the most waiters of a process for which one tick looks up the lock's holder */
enum { WAITERS_PER_TICK = 128 };

/* The interval at which a sleeper gets its time. */
static const uint64_t LOOK_NS = SPROF_NS_PER_S / 2;

static struct known_quiet *quiet_of(const struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	return &process->quiet;
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
		(is_in_doubt || quiet_of(thread)->has_awake ||
			!sprof_futex_is_private(&lock->futex));
}

/* Very many sleepers take turns over the ticks. Each look covers all ticks since the last. */
static bool is_its_turn(const struct sprof_thread *thread, uint64_t tick)
{
	uint64_t turns = quiet_of(thread)->last_waiters / WAITERS_PER_TICK + 1;

	return (tick + thread->id) % turns == 0;
}

bool sprof_reuse_is_spared(const struct sprof_thread *thread, const struct reuse_tick *tick)
{
	const struct sampled *sampled = thread->sampling;

	if (!sampled || !sampled->sleep.active)
		return false;
	quiet_of(thread)->waiters += tick->is_first && sampled->wait.lock.futex.address;
	return quiet_of(thread)->is_quiet && tick->ns < sampled->ledger.last.time_ns + LOOK_NS &&
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
	if (!quiet_of(thread)->is_quiet && has_moved(run, thread, &reused->look)) {
		sprof_quiet_moved(quiet_of(thread), tick_ns);
		return false;
	}
	observe(thread, tick_ns, &reused->look, &reused->observation);
	return true;
}
