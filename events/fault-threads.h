/*
 * The page faults of each thread: how many the kernel has counted, and for how many there was a record.
 * Works on figures alone. A thread is known by its number (struct sprof_thread), because an exec gives
 * it another id.
 */
#ifndef SPROF_EVENTS_FAULT_THREADS_H
#define SPROF_EVENTS_FAULT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"

/* A major fault waited for a disk; all others are minor. */
struct sprof_fault_count {
	uint64_t minor, major;
};

static inline uint64_t sprof_fault_count_sum(const struct sprof_fault_count *count)
{
	return count->minor + count->major;
}

/* Zeroed is empty and valid. */
struct sprof_fault_threads {
	struct sprof_fault_thread {
		uint32_t id;                    /* the thread's number, never reused */
		struct sprof_fault_count first; /* the kernel's figures when it was first seen */
		struct sprof_fault_count known; /* the kernel's figures when they were last read */
		struct sprof_fault_count seen;  /* since the first, in records */
	} * items;
	size_t count, capacity;
	struct sprof_idmap by_id; /* (0, id) -> place in items */
};

bool sprof_fault_threads_have(const struct sprof_fault_threads *threads, uint32_t id);
/* A thread that is not there yet, with the kernel's figures of it. False: no memory. */
SPROF_MUST_USE bool sprof_fault_threads_add(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *first);
/*
 * Whether the kernel has counted that many more faults than there were in records, as far as known: else
 * its figures are to be read again.
 */
bool sprof_fault_threads_have_room(const struct sprof_fault_threads *threads, uint32_t id,
	const struct sprof_fault_count *count);
/* The kernel's figures as they were last read; nothing, if the thread is not there. */
struct sprof_fault_count sprof_fault_threads_known(
	const struct sprof_fault_threads *threads, uint32_t id);
/* The kernel's figures can't be read any more, but it has counted that many more faults at least. */
void sprof_fault_threads_trust(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *more);
void sprof_fault_threads_learn(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *known);
/*
 * There was a record of that many faults. *count becomes what of it there is room for; nothing, if the
 * thread is not there.
 */
void sprof_fault_threads_saw(
	struct sprof_fault_threads *threads, uint32_t id, struct sprof_fault_count *count);

/* What the kernel has counted since the thread was added, and what of it was in no record. */
struct sprof_fault_balance {
	struct sprof_fault_count all, unseen;
};

/*
 * Ends the account of a thread with the kernel's present figures. It is there no more then. False: it
 * was not there.
 */
SPROF_MUST_USE bool sprof_fault_threads_end(struct sprof_fault_threads *threads, uint32_t id,
	const struct sprof_fault_count *last, struct sprof_fault_balance *ret);

void sprof_fault_threads_finish(struct sprof_fault_threads *threads);

#endif
