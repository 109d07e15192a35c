/*
 * Which thread had a tid at which time. Kernel records contain only tids and arrive late, and the
 * kernel reuses tids.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/idmap.h"

/* A thread, and the time up to which it had the tid. */
struct sprof_tid_owner {
	uint32_t thread;   /* the target's thread id */
	uint32_t before;   /* index of the tid's previous owner; SPROF_IDMAP_NONE: none */
	uint64_t until_ns; /* UINT64_MAX: still has it */
};

/* Zeroed is empty and valid. */
struct sprof_tid_owners {
	struct sprof_idmap by_tid; /* (0, tid) -> index of the latest owner */
	struct sprof_tid_owner *items;
	size_t count, capacity;
	uint64_t settled_ns; /* no lookups before this time will come; set by the caller */
};

void sprof_tid_owners_finish(struct sprof_tid_owners *owners);

/*
 * The thread has the tid since the previous owner gave it up, or at the latest since seen_ns.
 * Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_tid_owners_begin(
	struct sprof_tid_owners *owners, pid_t tid, uint32_t thread, uint64_t seen_ns);
/* Adds all present threads with their tids. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_tid_owners_know(
	struct sprof_tid_owners *owners, const struct sprof_target *target);
/*
 * The thread gives up the tid. A thread that was not known as owner is added. Returns false if out
 * of memory.
 */
SPROF_MUST_USE bool sprof_tid_owners_end(
	struct sprof_tid_owners *owners, pid_t tid, uint32_t thread, uint64_t time_ns);

/*
 * The thread that had the tid at time_ns; SPROF_IDMAP_NONE: none of the target's. The kernel still
 * switches away from a thread after its reported end.
 */
uint32_t sprof_tid_owners_find(const struct sprof_tid_owners *owners, pid_t tid, uint64_t time_ns);
