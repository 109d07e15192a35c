/*
 * Who has the locks that threads wait for: each lock is read once per tick, however many wait for it.
 */
#ifndef SPROF_SAMPLER_LOCKS_H
#define SPROF_SAMPLER_LOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/futex.h"

struct sampler;
struct sprof_thread;

enum {
	SEEN_LOCKS = 256
};

/* A lock that a thread waits for, to be looked at again as long as the wait lasts. */
struct lock_watch {
	bool active;
	struct sprof_futex futex;
	uint32_t holder_id; /* the sampler's, at the last look; SPROF_RECORD_NONE: nobody, or not known */
};

/* Zeroed is empty and valid. */
struct locks {
	struct seen_lock {
		pid_t pid; /* that it was read in; 0: none */
		struct sprof_futex futex;
		uint64_t tick_ns; /* when it was read */
		enum sprof_lock_kind kind;
		pid_t holder; /* as the process knows it; 0: nobody */
		uint32_t holder_id;
		uint64_t thread_state; /* of an interpreter's lock: whose the holder was */
		uint64_t asked_ns; /* when that state was last looked at */
	} seen[SEEN_LOCKS];
};

/* What the thread's lock is, and, into its watch, who has it now. */
enum sprof_lock_kind sprof_locks_look(struct sampler *sampler, struct sprof_thread *thread);

/* Whether somebody had the lock at the last look. */
bool sprof_locks_is_held(const struct lock_watch *watch);

#endif
