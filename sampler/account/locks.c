/*
 * Locks: when a lock must be read. All threads that wait for it share the result. The table
 * forgets: colliding locks evict each other. Does not handle the layout of a lock in memory.
 */
#include "sampler/account/locks.h"

#include "base/clock.h"

/* A holder that was not found is searched again, but not in every tick. */
enum { AGAIN_NS = 20 * SPROF_NS_PER_MS };

/* A lock that is read, and the thread that waits for it. */
struct asking {
	const struct sprof_world *world;
	const struct sprof_thread *thread;
	struct seen_lock *lock;
	bool elsewhere; /* the thread found belongs to another process */
};

static pid_t own_tid_of(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled ? sampled->own_tid : thread->tid;
}

/*
 * The thread with this id inside its process. Other processes are searched only if they can have
 * the lock. NULL: there is none.
 */
static const struct sprof_thread *find_thread(const struct asking *asking, pid_t own_tid)
{
	bool is_private = sprof_futex_is_private(&asking->lock->futex);
	const struct sprof_thread *elsewhere = NULL;
	size_t count;
	struct sprof_thread **threads = asking->world->threads(asking->world->data, &count);

	for (size_t i = 0; i < count; i++) {
		if (own_tid_of(threads[i]) != own_tid)
			continue;
		if (threads[i]->process == asking->thread->process)
			return threads[i];
		elsewhere = threads[i];
	}
	return is_private ? NULL : elsewhere;
}

/* Reads the memory of the waiting thread. */
static size_t read_memory(void *data, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	const struct asking *asking = data;
	const struct sprof_world *world = asking->world;

	return world->read_memory(world->data, asking->thread, address, buffer, size);
}

static bool is_thread(void *data, pid_t own_tid)
{
	struct asking *asking = data;
	const struct sprof_thread *found = find_thread(asking, own_tid);

	if (!found)
		return false;
	asking->elsewhere = found->process != asking->thread->process;
	asking->lock->holder_tid = found->tid;
	return true;
}

/*
 * Whether to look for the holder again: the interpreter's state and our table of threads can lag
 * behind each other.
 */
static bool is_asked_again(const struct asking *asking, uint64_t thread_state)
{
	const struct seen_lock *lock = asking->lock;
	bool is_found = lock->holder && lock->holder_tid != asking->thread->tid;

	if (thread_state != lock->thread_state)
		return true;
	return !is_found && lock->tick_ns >= lock->asked_ns + AGAIN_NS;
}

/* The interpreter's lock names the thread state that had it last. */
static void find_state_holder(struct asking *asking, uint64_t thread_state)
{
	const struct sprof_blocked_access access = {asking, read_memory, NULL};
	const struct sprof_futex_threads threads = {asking, is_thread};
	struct seen_lock *lock = asking->lock;

	if (is_asked_again(asking, thread_state)) {
		lock->thread_state = thread_state;
		lock->asked_ns = lock->tick_ns;
		lock->holder = sprof_futex_interpreter_holder(
			&access, asking->thread->tid, thread_state, &threads);
	}
	if (!lock->holder)
		lock->kind = SPROF_LOCK_UNKNOWN;
}

static void read_lock(struct asking *asking)
{
	const struct sprof_blocked_access access = {asking, read_memory, NULL};
	const struct sprof_futex_threads threads = {asking, is_thread};
	pid_t tid = asking->thread->tid;
	struct seen_lock *lock = asking->lock;
	struct sprof_futex_facts facts;

	facts = sprof_futex_look(&access, tid, &lock->futex, &threads);
	/* A thread is joined only from its own process: the number was no thread id. */
	if (facts.lock == SPROF_LOCK_JOIN && asking->elsewhere)
		facts = (struct sprof_futex_facts){.lock = SPROF_LOCK_UNKNOWN};
	lock->kind = facts.lock;
	lock->traits = facts.traits;
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

static struct seen_lock *find_lock(struct locks *locks, pid_t pid, const struct sprof_futex *futex)
{
	uint64_t hash = (futex->address ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15u;
	struct seen_lock *lock = &locks->seen[hash >> 56];

	if (lock->pid != pid || !is_same(&lock->futex, futex))
		*lock = (struct seen_lock){.pid = pid, .futex = *futex};
	return lock;
}

const struct seen_lock *sprof_locks_look(
	struct locks *locks, struct sprof_thread *thread, struct lock_watch *watch, uint64_t now_ns)
{
	struct seen_lock *lock = find_lock(locks, thread->process->pid, &watch->futex);
	bool is_own;

	if (lock->tick_ns != now_ns) {
		lock->tick_ns = now_ns;
		read_lock(&(struct asking){locks->world, thread, lock});
	}
	is_own = lock->holder && lock->holder_tid == thread->tid;
	if (!is_own || !watch->own_ns)
		watch->own_ns = is_own ? now_ns : 0;
	watch->holder_tid =
		!lock->holder || (watch->own_ns == now_ns && !locks->once) ? 0 : lock->holder_tid;
	return lock;
}
