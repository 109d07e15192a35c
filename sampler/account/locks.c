/*
 * Locks: when a lock must be read. All threads that wait for it share the result. The table
 * forgets: colliding locks evict each other. Does not handle the layout of a lock in memory.
 */
#include "sampler/account/waits.h"

#include "base/clock.h"

/* A holder that was not found is searched again, but not in every tick. */
enum { AGAIN_NS = 20 * SPROF_NS_PER_MS };

/* A lock that is read, and the thread that waits for it. */
struct asking {
	const struct run *run;
	const struct sprof_thread *thread;
	struct seen_lock *lock;
	bool elsewhere; /* the thread found belongs to another process */
};

/*
 * The thread with this id inside its process. Other processes are searched only if they can have
 * the lock. NULL: there is none.
 */
static const struct sprof_thread *find_thread(const struct asking *asking, pid_t own_tid)
{
	const struct threads threads = threads_of(asking->run);
	const struct sprof_thread *elsewhere = NULL;

	for (size_t i = 0; i < threads.count; i++) {
		const struct sprof_thread *thread = threads.items[i];

		if ((thread->sampling ? thread->sampling->own_tid : thread->tid) != own_tid)
			continue;
		if (thread->process == asking->thread->process)
			return thread;
		elsewhere = thread;
	}
	return sprof_futex_is_private(&asking->lock->futex) ? NULL : elsewhere;
}

/* Reads the memory of the waiting thread. */
static size_t read_memory(void *data, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	const struct asking *asking = data;

	return asking->run->world->read_memory(
		asking->thread->process, asking->thread->tid, address, buffer, size);
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
 * The interpreter's lock names the thread state that had it last. Its state and our table of
 * threads can lag behind each other: a holder that was not found is looked for again.
 */
static void find_state_holder(struct asking *asking, uint64_t thread_state)
{
	const struct sprof_blocked_access access = {asking, read_memory, NULL};
	const struct sprof_futex_threads threads = {asking, is_thread};
	struct seen_lock *lock = asking->lock;
	const bool is_found = lock->holder && lock->holder_tid != asking->thread->tid;

	if (thread_state != lock->thread_state ||
		(!is_found && lock->tick_ns >= lock->asked_ns + AGAIN_NS)) {
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

const struct seen_lock *sprof_locks_look(
	struct locks *locks, struct sprof_thread *thread, struct lock_watch *watch, uint64_t now_ns)
{
	const struct sprof_futex *futex = &watch->futex;
	const pid_t pid = thread->process->pid;
	uint64_t hash = (futex->address ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15u;
	struct seen_lock *lock = &locks->seen[hash >> 56];
	bool is_own;

	if (lock->pid != pid || lock->futex.address != futex->address ||
		lock->futex.operation != futex->operation || lock->futex.value != futex->value)
		*lock = (struct seen_lock){.pid = pid, .futex = *futex, .since_ns = now_ns};
	if (lock->tick_ns != now_ns) {
		lock->tick_ns = now_ns;
		read_lock(&(struct asking){locks->run, thread, lock});
		if (lock->kind == SPROF_LOCK_UNKNOWN && !lock->holder)
			lock->holder = lock->holder_tid =
				sprof_script_locks_holder(locks, thread, lock);
	}
	is_own = lock->holder && lock->holder_tid == thread->tid;
	if (!is_own || !watch->own_ns)
		watch->own_ns = is_own ? now_ns : 0;
	/* If each thread is looked at once, the caller compares two looks. */
	watch->holder_tid = !lock->holder || (watch->own_ns == now_ns && !locks->run->options->once)
		? 0
		: lock->holder_tid;
	return lock;
}
