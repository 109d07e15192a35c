/*
 * The deadlocks among the threads of a dump.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/dump/stacks.h"

/* Zeroed is empty and valid. */
struct sprof_lock_cycles {
	/* by thread index: the thread that it waits for; see base/deadlock.h */
	uint32_t *holders;
	uint32_t *next; /* by thread index: the next one of its cycle; NO_HOLDER: it is the last */
	uint32_t *cycles; /* by thread index: number of its cycle, from 1; 0: none */
	uint32_t count;   /* number of cycles */
};

/*
 * Finds cycles among sorted threads. Each thread that waits for a mutex that will never be free
 * counts as a cycle, without a holder if none is known. All threads of a live process together
 * count as one if each waits for a lock and none is left to free one. The traits and kinds must be
 * right. Live threads are not read at one instant, so a cycle may never have existed: see
 * sprof_lock_cycles_confirm(). Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_lock_cycles_find(
	const struct sprof_stacks *stacks, bool is_live, struct sprof_lock_cycles *ret);

/*
 * Whether the process handles a signal that may end the wait for a lock, or free the lock. Python
 * handles SIGINT, and many programs handle crashes: these do not count.
 */
bool sprof_lock_wait_may_be_interrupted(pid_t pid);

/* How often each thread has gone to sleep, from /proc. Zeroed is empty and valid. */
struct sprof_lock_sleeps {
	struct sprof_lock_sleep {
		pid_t tid;
		long count;
	} * items;
	size_t count;
};

/* Records the threads in cycles. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_lock_sleeps_note(const struct sprof_lock_cycles *cycles,
	const struct sprof_stacks *stacks, struct sprof_lock_sleeps *ret);
void sprof_lock_sleeps_finish(struct sprof_lock_sleeps *sleeps);

/*
 * Drops the cycles with a thread that has gone to sleep since `sleeps`, or is not in it. If the
 * stacks were taken after `sleeps`, the threads of all other cycles have waited the whole time. A
 * thread that waits for Python's interpreter lock may have woken up meanwhile, but not its holder.
 */
void sprof_lock_cycles_confirm(struct sprof_lock_cycles *cycles,
	const struct sprof_lock_sleeps *sleeps, const struct sprof_stacks *stacks);

/*
 * The first thread of cycle `number`; follow `next` for the others.
 * stacks->thread_count: the cycle was dropped.
 */
uint32_t sprof_lock_cycles_first(
	const struct sprof_lock_cycles *cycles, const struct sprof_stacks *stacks, uint32_t number);

void sprof_lock_cycles_finish(struct sprof_lock_cycles *cycles);
