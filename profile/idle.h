/*
 * Threads that have nothing to do: what they wait for is work, and no time of the program's is lost by it.
 */
#ifndef SPROF_PROFILE_IDLE_H
#define SPROF_PROFILE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* What a thread that is blocked there has none of: "no goroutine to run". NULL: it waits for something. */
const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack);

/*
 * Whether a thread in this context waits for work: for events of several descriptors, a connection, a
 * signal, a child, the end of another thread, a person at a terminal, a condition variable.
 */
bool sprof_profile_is_idle(const struct sprof_profile_context *context);

/*
 * By row: whether it is idle time, to be freed. So is the time that a thread waits for what another process of the
 * profile writes. What a thread does nothing but wait for is idle too where
 * it may be a queue: a semaphore, or a lock of unknown kind that nobody is known to hold. NULL: no memory.
 */
bool *sprof_profile_idle_rows(const struct sprof_profile *profile);

#endif
