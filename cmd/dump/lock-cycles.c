/*
 * Finds deadlocks from the locks that threads wait for; the holders are already known. Some mutexes
 * will never be free: one whose owner is not a thread of its process, and one that the kernel
 * refused to lock because its owner has ended, or waits for the caller. Nothing records
 * which threads hold a lock of Rust's std or of parking_lot, a lock of Python that no `with`
 * statement took, or an rwlock for reading: these make a deadlock only if all threads of the
 * process wait for locks.
 */
#include "cmd/dump/lock-cycles.h"

#include <signal.h>
#include <stdlib.h>

#include "base/deadlock.h"
#include "base/idmap.h"
#include "base/proc-status.h"

static bool map_threads(const struct sprof_stacks *stacks, struct sprof_idmap *ret)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		const struct sprof_thread_stack *thread = &stacks->threads[i];

		if (thread->sampled && !sprof_idmap_put(ret, 0, (uint64_t)thread->tid, (uint32_t)i))
			return false;
	}
	return true;
}

/* How many threads wait for a mutex that this thread holds. *ret_last is one of them. */
static size_t count_waiters(const struct sprof_stacks *stacks, const uint32_t *holders,
	uint32_t thread, uint32_t *ret_last)
{
	size_t count = 0;

	for (uint32_t i = 0; i < stacks->thread_count; i++) {
		if (holders[i] != thread || stacks->threads[i].lock != SPROF_LOCK_MUTEX)
			continue;
		*ret_last = i;
		count++;
	}
	return count;
}

/*
 * The call does not contain a refused mutex. Its owner waits for the refused thread, perhaps
 * through others. If exactly one thread waits so, it is the owner.
 */
static void close_circles(const struct sprof_stacks *stacks, uint32_t *holders)
{
	for (uint32_t i = 0; i < stacks->thread_count; i++) {
		uint32_t owner, other;

		if (stacks->threads[i].lock_traits.is_endless &&
			count_waiters(stacks, holders, i, &owner) == 1 &&
			!count_waiters(stacks, holders, owner, &other))
			holders[i] = owner;
	}
}

static void link_circles(size_t count, struct sprof_lock_cycles *cycles)
{
	for (uint32_t number = 1; number <= cycles->count; number++) {
		uint32_t first = 0, at;

		while (cycles->cycles[first] != number)
			first++;
		for (at = first; cycles->holders[at] != first; at = cycles->holders[at])
			cycles->next[at] = cycles->holders[at];
		cycles->next[at] = SPROF_DEADLOCK_NO_HOLDER;
	}
}

/*
 * Whether only a thread of the process can end the wait. Semaphores and condition variables do not
 * count: threads use them to wait for work, too. Another process may have a shared mutex.
 */
static bool waits_for_others(const struct sprof_thread_stack *thread)
{
	const bool is_of_processes = thread->is_lock_shared &&
		(thread->lock == SPROF_LOCK_MUTEX || thread->lock == SPROF_LOCK_RWLOCK);

	return thread->sampled && thread->state == SPROF_STATE_SLEEP && thread->lock_address &&
		!thread->lock_traits.is_limited && !is_of_processes &&
		(thread->lock == SPROF_LOCK_MUTEX || thread->lock == SPROF_LOCK_RWLOCK ||
			thread->lock == SPROF_LOCK_JOIN || thread->lock == SPROF_LOCK_PYTHON ||
			thread->lock == SPROF_LOCK_RUST || thread->lock == SPROF_LOCK_PARKING);
}

bool sprof_lock_wait_may_be_interrupted(pid_t pid)
{
	const uint64_t harmless = 1ull << (SIGINT - 1) | 1ull << (SIGILL - 1) |
		1ull << (SIGABRT - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) |
		1ull << (SIGSEGV - 1) | 3ull << 31 /* glibc's own */;
	char text[SPROF_PROC_STATUS_MAX], mask[32];

	return sprof_proc_status_read(pid, 0, text, sizeof(text)) < 0 ||
		!sprof_proc_status_field(text, "SigCgt", mask, sizeof(mask)) ||
		strtoull(mask, NULL, 16) & ~harmless;
}

/* Whether the process has no other threads than those that were looked at. */
static bool has_threads(pid_t pid, size_t count)
{
	char text[SPROF_PROC_STATUS_MAX];
	long threads;

	return sprof_proc_status_read(pid, 0, text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, "Threads", &threads) && (size_t)threads == count;
}

/*
 * Adds the process as one deadlock if all its threads wait for each other, although nothing records
 * in which order.
 */
static void add_process(
	const struct sprof_stacks *stacks, size_t first, struct sprof_lock_cycles *cycles)
{
	const size_t end = sprof_stacks_process_end(stacks, first);
	bool has_lock = false;

	for (size_t i = first; i < end; i++) {
		if (cycles->cycles[i] || !waits_for_others(&stacks->threads[i]))
			return;
		has_lock |= stacks->threads[i].lock != SPROF_LOCK_JOIN;
	}
	if (!has_lock || !has_threads(stacks->threads[first].pid, end - first) ||
		sprof_lock_wait_may_be_interrupted(stacks->threads[first].pid))
		return;
	cycles->count++;
	for (size_t i = first; i < end; i++) {
		cycles->cycles[i] = cycles->count;
		cycles->next[i] = i + 1 < end ? (uint32_t)i + 1 : SPROF_DEADLOCK_NO_HOLDER;
	}
}

static void add_hopeless(const struct sprof_stacks *stacks, struct sprof_lock_cycles *cycles)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		const struct sprof_lock_traits *traits = &stacks->threads[i].lock_traits;

		if (cycles->cycles[i] || (!traits->lost_owner && !traits->is_endless))
			continue;
		cycles->cycles[i] = ++cycles->count;
		cycles->next[i] = SPROF_DEADLOCK_NO_HOLDER;
	}
}

bool sprof_lock_cycles_find(
	const struct sprof_stacks *stacks, bool is_live, struct sprof_lock_cycles *ret)
{
	const size_t count = stacks->thread_count;
	struct sprof_idmap by_tid = {0};
	bool ok = map_threads(stacks, &by_tid);

	*ret = (struct sprof_lock_cycles){
		.holders = calloc(count + 1, sizeof(*ret->holders)),
		.next = calloc(count + 1, sizeof(*ret->next)),
		.cycles = calloc(count + 1, sizeof(*ret->cycles)),
	};
	if (ok && ret->holders && ret->next && ret->cycles) {
		for (size_t i = 0; i < count; i++) {
			const pid_t holder = stacks->threads[i].holder;

			/* Nothing found is SPROF_IDMAP_NONE, which is NO_HOLDER. */
			ret->holders[i] = holder ? sprof_idmap_find(&by_tid, 0, (uint64_t)holder)
						 : SPROF_DEADLOCK_NO_HOLDER;
		}
		close_circles(stacks, ret->holders);
		ret->count = sprof_deadlocks_find(ret->holders, count, ret->cycles);
		link_circles(count, ret);
		add_hopeless(stacks, ret);
		for (size_t i = 0; is_live && i < count; i = sprof_stacks_process_end(stacks, i))
			add_process(stacks, i, ret);
	} else {
		sprof_lock_cycles_finish(ret);
		ok = false;
	}
	sprof_idmap_finish(&by_tid);
	return ok;
}

/* -1: the thread is gone. */
static long sleeps_of(pid_t tid)
{
	long count;

	return sprof_proc_status_read_number(tid, "voluntary_ctxt_switches", &count) ? count : -1;
}

bool sprof_lock_sleeps_note(const struct sprof_lock_cycles *cycles,
	const struct sprof_stacks *stacks, struct sprof_lock_sleeps *ret)
{
	*ret = (struct sprof_lock_sleeps){
		.items = calloc(stacks->thread_count + 1, sizeof(*ret->items))};
	if (!ret->items)
		return false;
	for (size_t i = 0; i < stacks->thread_count; i++) {
		const pid_t tid = stacks->threads[i].tid;

		if (cycles->cycles[i])
			ret->items[ret->count++] = (struct sprof_lock_sleep){tid, sleeps_of(tid)};
	}
	return true;
}

void sprof_lock_sleeps_finish(struct sprof_lock_sleeps *sleeps)
{
	free(sleeps->items);
	*sleeps = (struct sprof_lock_sleeps){0};
}

/* NULL: it was in no cycle. */
static const struct sprof_lock_sleep *find(const struct sprof_lock_sleeps *sleeps, pid_t tid)
{
	for (size_t i = 0; i < sleeps->count; i++) {
		if (sleeps->items[i].tid == tid)
			return &sleeps->items[i];
	}
	return NULL;
}

static bool has_slept_on(const struct sprof_lock_sleeps *sleeps, pid_t tid)
{
	const struct sprof_lock_sleep *sleep = find(sleeps, tid);

	return sleep && sleep->count >= 0 && sleep->count == sleeps_of(tid);
}

/*
 * Whether the thread has waited the whole time. One that waits for Python's interpreter lock wakes
 * up every 5 ms to ask for it; it gets the lock only from the holder, if that has run.
 */
static bool has_waited_on(const struct sprof_lock_cycles *cycles,
	const struct sprof_lock_sleeps *sleeps, const struct sprof_stacks *stacks, size_t thread)
{
	const uint32_t holder = cycles->holders[thread];

	if (stacks->threads[thread].lock == SPROF_LOCK_INTERPRETER &&
		holder != SPROF_DEADLOCK_NO_HOLDER && find(sleeps, stacks->threads[thread].tid))
		thread = holder;
	return has_slept_on(sleeps, stacks->threads[thread].tid);
}

void sprof_lock_cycles_confirm(struct sprof_lock_cycles *cycles,
	const struct sprof_lock_sleeps *sleeps, const struct sprof_stacks *stacks)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		const uint32_t number = cycles->cycles[i];

		if (!number || has_waited_on(cycles, sleeps, stacks, i))
			continue;
		for (size_t j = 0; j < stacks->thread_count; j++) {
			if (cycles->cycles[j] == number)
				cycles->cycles[j] = 0;
		}
	}
}

uint32_t sprof_lock_cycles_first(
	const struct sprof_lock_cycles *cycles, const struct sprof_stacks *stacks, uint32_t number)
{
	uint32_t first = 0;

	while (first < stacks->thread_count && cycles->cycles[first] != number)
		first++;
	return first;
}

void sprof_lock_cycles_finish(struct sprof_lock_cycles *cycles)
{
	free(cycles->holders);
	free(cycles->next);
	free(cycles->cycles);
	*cycles = (struct sprof_lock_cycles){0};
}
