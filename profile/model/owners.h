/*
 * The threads of events: the profile's threads by identity, and names of foreign threads from
 * /proc.
 */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "base/proc.h"
#include "profile/model/profile.h"

struct sprof_foreign_thread {
	char name[SPROF_COMM_MAX];
};

/* Set the profile; the rest zeroed is empty and valid. */
struct sprof_owners {
	const struct sprof_profile *profile;
	/* (0, tid) -> index in `foreign`; (1, tid) -> 0: the profile's */
	struct sprof_idmap by_tid;
	size_t known; /* threads of the profile that are in the map */
	struct sprof_foreign_thread *foreign;
	size_t foreign_count, foreign_capacity;
};

void sprof_owners_finish(struct sprof_owners *owners);

/* The thread with an event's thread id (struct sprof_trace_event). NULL: not the target's. */
const struct sprof_profile_thread *sprof_owner(const struct sprof_profile *profile, uint32_t id);

/* Whether a thread of the profile has, or had, this tid. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_owners_have(struct sprof_owners *owners, int64_t tid, bool *ret);

/* Reads the thread's name from /proc while it exists, for later use. */
SPROF_MUST_USE bool sprof_owners_add(struct sprof_owners *owners, int64_t tid);

/* The name of the target's latest thread with this tid, or of the foreign thread; "?": unknown. */
const char *sprof_owners_name(const struct sprof_owners *owners, int64_t tid);
