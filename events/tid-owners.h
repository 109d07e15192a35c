/*
 * Which thread had an id when: the kernel's records name threads by ids only, come late, and the kernel
 * gives ids again.
 */
#ifndef SPROF_EVENTS_TID_OWNERS_H
#define SPROF_EVENTS_TID_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/idmap.h"

/* A thread, as long as it has the id. */
struct sprof_tid_owner {
	uint32_t thread;   /* its id in the target */
	uint32_t before;   /* the owner of the id before it; SPROF_IDMAP_NONE: it is the first */
	uint64_t until_ns; /* UINT64_MAX: it has it now */
};

/* Zeroed is empty and valid. */
struct sprof_tid_owners {
	struct sprof_idmap by_tid; /* (0, tid) -> the last one */
	struct sprof_tid_owner *items;
	size_t count, capacity;
	uint64_t settled_ns; /* no one asks for what was before; set by the caller */
};

void sprof_tid_owners_finish(struct sprof_tid_owners *owners);

/*
 * The thread has the id, from when the one before it gave it up: at the latest when this one was seen
 * first. False: no memory.
 */
SPROF_MUST_USE bool sprof_tid_owners_begin(
	struct sprof_tid_owners *owners, pid_t tid, uint32_t thread, uint64_t seen_ns);
/* All threads that there are have their ids. False: no memory. */
SPROF_MUST_USE bool sprof_tid_owners_know(
	struct sprof_tid_owners *owners, const struct sprof_target *target);
/* The thread gives it up. One that was not known to have it had it. False: no memory. */
SPROF_MUST_USE bool sprof_tid_owners_end(
	struct sprof_tid_owners *owners, pid_t tid, uint32_t thread, uint64_t time_ns);

/*
 * The thread that had the id then; SPROF_IDMAP_NONE: none of the target's. What the kernel does to
 * leave a thread comes after its end.
 */
uint32_t sprof_tid_owners_find(const struct sprof_tid_owners *owners, pid_t tid, uint64_t time_ns);

#endif
