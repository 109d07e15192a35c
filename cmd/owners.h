/*
 * Whose an event is: the threads that the profile knows, by their identity, and the names of others by
 * what /proc says of them.
 */
#ifndef SPROF_CMD_OWNERS_H
#define SPROF_CMD_OWNERS_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "base/proc.h"
#include "profile/profile.h"

struct sprof_met {
	char name[SPROF_COMM_MAX];
};

/* Zeroed, with a profile, is empty and valid. */
struct sprof_owners {
	const struct sprof_profile *profile;
	struct sprof_idmap by_tid; /* (0, tid) -> index in met */
	struct sprof_met *met;
	size_t met_count, met_capacity;
};

void sprof_owners_finish(struct sprof_owners *owners);

/* The thread with the id that events have (struct sprof_trace_event). NULL: none of the target's. */
const struct sprof_profile_thread *sprof_owner(const struct sprof_profile *profile, uint32_t id);

/* A thread is about to be named by its tid: what it is called is read while it is there. */
SPROF_MUST_USE bool sprof_owners_meet(struct sprof_owners *owners, int64_t tid);

/* The target's thread that had the tid last, or what was met; "?": neither. */
const char *sprof_owners_name(const struct sprof_owners *owners, int64_t tid);

#endif
