/*
 * Page faults per thread: the kernel's count, and the number covered by records. Arithmetic only.
 * Threads are identified by number (struct sprof_thread), because an exec changes the tid.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"

/* Major faults waited for a disk; all others are minor. */
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
		struct sprof_fault_count first; /* the kernel's count when first seen */
		struct sprof_fault_count known; /* the kernel's count when last read */
		struct sprof_fault_count seen;  /* covered by records, since `first` */
	} * items;
	size_t count, capacity;
	struct sprof_idmap by_id; /* (0, id) -> index in `items` */
};

bool sprof_fault_threads_have(const struct sprof_fault_threads *threads, uint32_t id);
/* Adds a new thread with the kernel's count. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_fault_threads_add(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *first);
/* Whether `known` covers this many more recorded faults; if not, read the kernel's count again. */
bool sprof_fault_threads_have_room(const struct sprof_fault_threads *threads, uint32_t id,
	const struct sprof_fault_count *count);
/* The kernel's count when last read; zero if the thread is unknown. */
struct sprof_fault_count sprof_fault_threads_known(
	const struct sprof_fault_threads *threads, uint32_t id);
/* The kernel's count can't be read any more, but is at least `more` faults higher. */
void sprof_fault_threads_trust(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *more);
void sprof_fault_threads_learn(
	struct sprof_fault_threads *threads, uint32_t id, const struct sprof_fault_count *known);
/*
 * Adds a record's faults. *count is reduced to what the kernel's count leaves room for; to zero if
 * the thread is unknown.
 */
void sprof_fault_threads_saw(
	struct sprof_fault_threads *threads, uint32_t id, struct sprof_fault_count *count);

/* The kernel's count since the thread was added, and the part that no record covers. */
struct sprof_fault_balance {
	struct sprof_fault_count all, unseen;
};

/* Removes a thread, with the kernel's final count. Returns false if the thread is unknown. */
SPROF_MUST_USE bool sprof_fault_threads_end(struct sprof_fault_threads *threads, uint32_t id,
	const struct sprof_fault_count *last, struct sprof_fault_balance *ret);

void sprof_fault_threads_finish(struct sprof_fault_threads *threads);
