/*
 * Threads that have nothing to do: they wait for work, so the program loses no time by it.
 */
#ifndef SPROF_PROFILE_IDLE_H
#define SPROF_PROFILE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* What a thread blocked there lacks: "no goroutine to run". NULL: it waits for something. */
const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack);

/*
 * Whether a thread in this context waits for work: for events of several descriptors, a connection,
 * a signal, a child, the end of another thread, a person at a terminal, a condition variable.
 */
bool sprof_profile_is_idle(const struct sprof_profile_context *context);

/*
 * By row: whether it is idle time; the caller frees it. Waiting for output of another process of
 * the profile is idle too. So is what a thread does nothing but wait for, if that may be a queue: a
 * semaphore, or a lock of unknown kind without a known holder. NULL: no memory.
 */
bool *sprof_profile_idle_rows(const struct sprof_profile *profile);

#endif
