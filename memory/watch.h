/*
 * The memory of several processes, and of those that they start.
 */
#ifndef SPROF_MEMORY_WATCH_H
#define SPROF_MEMORY_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "memory/process.h"

/* Zeroed is empty and valid. */
struct sprof_memory_watch {
	bool follow_children, wants_mappings;
	struct sprof_memory_process *items; /* in the order in which they were seen */
	size_t count, capacity;
	struct sprof_series totals[SPROF_MEMORY_METRICS]; /* of all that were there together */
	uint64_t dropped;      /* processes that had ended, and whose places others have got */
	uint64_t next_scan_ns; /* when to look for new children */
	bool out_of_memory;
};

/* Adds a process. False: there is none, or no memory (out_of_memory says which). */
SPROF_MUST_USE bool sprof_memory_watch_add(struct sprof_memory_watch *watch, pid_t pid);

/* Reads all processes. `is_last`: once more all of each. */
void sprof_memory_watch_read(struct sprof_memory_watch *watch, uint64_t now_ns, bool is_last);

/* Whether any of them is still there. */
bool sprof_memory_watch_goes_on(const struct sprof_memory_watch *watch);

void sprof_memory_watch_finish(struct sprof_memory_watch *watch);

#endif
