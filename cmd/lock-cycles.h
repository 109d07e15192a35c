/*
 * The deadlocks among the threads of a dump.
 */
#ifndef SPROF_CMD_LOCK_CYCLES_H
#define SPROF_CMD_LOCK_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/stacks.h"

/* Zeroed is empty and valid. */
struct sprof_lock_cycles {
	uint32_t
		*holders; /* by index of the thread: the one it waits for; see blocked/deadlock.h */
	uint32_t
		*cycles; /* by index of the thread: the cycle that it is part of, from 1; 0: none */
	uint32_t count;  /* of cycles */
};

/*
 * Finds them among threads that are sorted. The threads of a live process are not seen in one
 * moment, so what is found may never have been: see sprof_lock_cycles_confirm(). False: no memory.
 */
SPROF_MUST_USE bool sprof_lock_cycles_find(
	const struct sprof_stacks *stacks, struct sprof_lock_cycles *ret);

/* How often threads have gone to sleep, from /proc. Zeroed is empty and valid. */
struct sprof_lock_sleeps {
	struct sprof_lock_sleep {
		pid_t tid;
		long count;
	} * items;
	size_t count;
};

/* Notes the threads that are in cycles. False: no memory. */
SPROF_MUST_USE bool sprof_lock_sleeps_note(const struct sprof_lock_cycles *cycles,
	const struct sprof_stacks *stacks, struct sprof_lock_sleeps *ret);
void sprof_lock_sleeps_finish(struct sprof_lock_sleeps *sleeps);

/*
 * Forgets the cycles with a thread that has gone to sleep since `sleeps`, or was not noted there.
 * If stacks were taken since then, the threads of the others have waited all that time.
 */
void sprof_lock_cycles_confirm(struct sprof_lock_cycles *cycles,
	const struct sprof_lock_sleeps *sleeps, const struct sprof_stacks *stacks);

/* The first thread of cycle `number`; the others follow by `holders`. stacks->thread_count: the
 * cycle has been forgotten. */
uint32_t sprof_lock_cycles_first(
	const struct sprof_lock_cycles *cycles, const struct sprof_stacks *stacks, uint32_t number);

void sprof_lock_cycles_finish(struct sprof_lock_cycles *cycles);

#endif
