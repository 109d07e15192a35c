/* The memory of several processes and their descendants. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "memory/process.h"

/* Zeroed is empty and valid. */
struct sprof_memory_watch {
	bool follow_children, wants_mappings;
	struct sprof_memory_process *items; /* in order of discovery */
	size_t count, capacity;
	/* over all processes that existed at the same time */
	struct sprof_series totals[SPROF_MEMORY_METRICS];
	uint64_t dropped;      /* ended processes replaced by others */
	uint64_t next_scan_ns; /* next search for children */
	bool out_of_memory;
};

/* Adds a process. Returns false if it does not exist, or out of memory (see out_of_memory). */
SPROF_MUST_USE bool sprof_memory_watch_add(struct sprof_memory_watch *watch, pid_t pid);

/* Reads all processes. `is_last`: everything once more. */
void sprof_memory_watch_read(struct sprof_memory_watch *watch, uint64_t now_ns, bool is_last);

/* Whether any process still exists. */
bool sprof_memory_watch_goes_on(const struct sprof_memory_watch *watch);

void sprof_memory_watch_finish(struct sprof_memory_watch *watch);
