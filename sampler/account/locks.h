/* The holders of the locks that threads wait for. Each lock is read once per tick. */
#ifndef SPROF_SAMPLER_ACCOUNT_LOCKS_H
#define SPROF_SAMPLER_ACCOUNT_LOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "blocked/futex.h"
#include "sampler/sampled.h"
#include "sampler/world.h"

enum { SEEN_LOCKS = 256 };

/* Zeroed, except for the world, is empty and valid. */
struct locks {
	const struct sprof_world *world;
	bool once; /* each thread is looked at once: the caller compares two looks */
	struct seen_lock {
		pid_t pid; /* of the process it was read in; 0: none */
		struct sprof_futex futex;
		uint64_t tick_ns; /* when it was read */
		enum sprof_lock_kind kind;
		struct sprof_lock_traits traits;
		pid_t holder, holder_tid; /* its id inside its process, and outside; 0: none */
		uint64_t thread_state;    /* of an interpreter's lock: the holder's */
		uint64_t asked_ns;        /* when the thread state was last looked up */
	} seen[SEEN_LOCKS];
};

/*
 * The lock that the thread waits for, valid until the next look. Sets the watch's holder. The
 * holder is the waiting thread itself only if two ticks in one wait show that, because a thread
 * that has just taken the lock no longer waits.
 */
const struct seen_lock *sprof_locks_look(struct locks *locks, struct sprof_thread *thread,
	struct lock_watch *watch, uint64_t now_ns);

#endif
