/*
 * Locks. Knows when a lock must be read and that all who wait for it may share what was found; how
 * it is read is attach/'s matter. The table forgets: two locks in one place are read in turns.
 */
#include "sampler/locks.h"

#include "sampler/sampler-internal.h"

#include "base/clock.h"

/* A holder that was not found is looked for again, but not in every tick. */
enum { AGAIN_NS = 20 * SPROF_NS_PER_MS };

/* Who asks for threads while a lock is read. */
struct asking {
	const struct sampler *sampler;
	const struct sprof_thread *thread;
	struct seen_lock *lock;
	bool elsewhere; /* the thread that was found is another process's */
};

static pid_t own_tid_of(const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling ? sampling->facts.own_tid : thread->tid;
}

/*
 * The thread with the id that the process knows; of any other process only where those may have the
 * lock. NULL: there is none.
 */
static const struct sprof_thread *find_thread(const struct asking *asking, pid_t own_tid)
{
	bool is_private = sprof_futex_is_private(&asking->lock->futex);
	const struct sprof_thread *elsewhere = NULL;
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(asking->sampler->parts->target, &count);

	for (size_t i = 0; i < count; i++) {
		if (own_tid_of(threads[i]) != own_tid)
			continue;
		if (threads[i]->process == asking->thread->process)
			return threads[i];
		elsewhere = threads[i];
	}
	return is_private ? NULL : elsewhere;
}

static bool is_thread(void *data, pid_t own_tid)
{
	struct asking *asking = data;
	const struct sprof_thread *found = find_thread(asking, own_tid);

	if (!found)
		return false;
	asking->elsewhere = found->process != asking->thread->process;
	asking->lock->holder_id = found->id;
	return true;
}

/* A thread is in its state before it is among the target's threads, and the other way round. */
static bool is_asked_again(const struct asking *asking, uint64_t thread_state)
{
	const struct seen_lock *lock = asking->lock;
	bool is_found = lock->holder && lock->holder_id != asking->thread->id;

	if (thread_state != lock->thread_state)
		return true;
	return !is_found && lock->tick_ns >= lock->asked_ns + AGAIN_NS;
}

/* The interpreter's lock says whose the state is that last had it. */
static void find_state_holder(struct asking *asking, uint64_t thread_state)
{
	const struct sprof_futex_threads threads = {asking, is_thread};
	struct seen_lock *lock = asking->lock;

	if (is_asked_again(asking, thread_state)) {
		lock->thread_state = thread_state;
		lock->asked_ns = lock->tick_ns;
		lock->holder = sprof_futex_interpreter_holder(
			asking->thread->tid, thread_state, &threads);
	}
	if (!lock->holder)
		lock->kind = SPROF_LOCK_UNKNOWN;
}

static void read_lock(struct asking *asking)
{
	const struct sprof_futex_threads threads = {asking, is_thread};
	pid_t tid = asking->thread->tid;
	struct seen_lock *lock = asking->lock;
	struct sprof_futex_memory memory;
	struct sprof_futex_facts facts;

	sprof_futex_read(tid, lock->futex.address, &memory);
	facts = sprof_futex_look(&lock->futex, &memory, &threads);
	/* Nobody joins the thread of another process: its id was some other number. */
	if (facts.lock == SPROF_LOCK_JOIN && asking->elsewhere)
		facts = (struct sprof_futex_facts){.lock = SPROF_LOCK_UNKNOWN};
	lock->kind = facts.lock;
	if (facts.lock == SPROF_LOCK_INTERPRETER) {
		find_state_holder(asking, facts.last_holder);
		return;
	}
	lock->holder = facts.holder;
	lock->thread_state = 0;
}

static bool is_same(const struct sprof_futex *one, const struct sprof_futex *other)
{
	return one->address == other->address && one->operation == other->operation &&
	       one->value == other->value;
}

/* What is known of the lock that the thread waits for. */
static struct seen_lock *find_lock(struct sampler *sampler, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;
	const struct sprof_futex *futex = &sampling->wait.lock.futex;
	pid_t pid = thread->process->pid;
	uint64_t hash = (futex->address ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15u;
	struct seen_lock *lock = &sampler->waits.locks.seen[hash >> 56];

	if (lock->pid != pid || !is_same(&lock->futex, futex))
		*lock = (struct seen_lock){.pid = pid, .futex = *futex};
	return lock;
}

enum sprof_lock_kind sprof_locks_look(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct lock_watch *watch = &sampling->wait.lock;
	struct seen_lock *lock = find_lock(sampler, thread);

	if (lock->tick_ns != sampler->tick.ns) {
		lock->tick_ns = sampler->tick.ns;
		read_lock(&(struct asking){sampler, thread, lock});
	}
	watch->holder_id = SPROF_RECORD_NONE;
	/* The thread that asks waits, and has nothing. */
	if (!lock->holder || lock->holder_id == thread->id)
		return lock->holder ? SPROF_LOCK_UNKNOWN : lock->kind;
	watch->holder_id = lock->holder_id;
	return lock->kind;
}

bool sprof_locks_is_held(const struct lock_watch *watch)
{
	return watch->active && watch->holder_id != SPROF_RECORD_NONE;
}
