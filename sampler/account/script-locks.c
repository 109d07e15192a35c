/*
 * Python records no owner of a threading.Lock. The frames of a thread that sleeps inside a `with`
 * statement show which lock it has (interp/python/holds.c). So the frames of all sleeping threads
 * are read, but only for a lock that has been waited for some time, and rarely. The holder is
 * believed until it runs.
 */
#include "sampler/account/waits.h"

#include "base/clock.h"
#include "sampler/stack/copy.h"

enum {
	LONG_NS = 100 * SPROF_NS_PER_MS,
	COST_FACTOR = 50, /* of the CPU time for a search: until the next one */
};

static bool still_sleeps(const struct sprof_thread *thread, uint64_t timeslices)
{
	return thread && thread->sampling && thread->sampling->sleep.active &&
		thread->sampling->sleep.timeslices == timeslices;
}

/* Whether the lock can be one of the process's interpreter, and it is time to look for its holder. */
static bool is_due(
	const struct locks *locks, const struct sprof_thread *thread, const struct seen_lock *lock)
{
	const struct sampled_process *process = thread->process->sampling;
	const uint64_t pause_ns = locks->script_cost_ns * COST_FACTOR;

	return process && process->script && !lock->futex.is_limited &&
		lock->tick_ns >= lock->since_ns + LONG_NS &&
		(!locks->script_ns ||
			lock->tick_ns >=
				locks->script_ns + (pause_ns > LONG_NS ? pause_ns : LONG_NS));
}

static void search(const struct run *run, const struct sprof_thread *waiter, struct seen_lock *lock)
{
	const struct threads threads = threads_of(run);

	lock->script_tid = 0;
	for (size_t i = 0; i < threads.count && !lock->script_tid; i++) {
		struct sprof_thread *thread = threads.items[i];

		if (thread->process != waiter->process || !thread->sampling ||
			!thread->sampling->sleep.active ||
			!sprof_interpreted_holds(run->world, thread, lock->futex.address))
			continue;
		lock->script_tid = thread->tid;
		lock->script_timeslices = thread->sampling->sleep.timeslices;
	}
}

pid_t sprof_script_locks_holder(
	struct locks *locks, const struct sprof_thread *thread, struct seen_lock *lock)
{
	const struct sprof_world *world = locks->run->world;
	uint64_t begin_ns;

	if (lock->script_tid &&
		still_sleeps(world->find(world->target, lock->script_tid), lock->script_timeslices))
		return lock->script_tid;
	lock->script_tid = 0;
	if (!is_due(locks, thread, lock))
		return 0;
	begin_ns = world->own_cpu_ns();
	search(locks->run, thread, lock);
	locks->script_ns = lock->tick_ns;
	locks->script_cost_ns = world->own_cpu_ns() - begin_ns;
	return lock->script_tid;
}
