/* Idle threads: they wait for work, so the program loses no time. */
#ifndef SPROF_PROFILE_ANSWER_IDLE_H
#define SPROF_PROFILE_ANSWER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/profile.h"

/*
 * Why a thread blocked there is idle, such as "no goroutine to run". NULL: it is not idle by its
 * stack.
 */
const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack);

/*
 * Whether a thread in this context waits for work: for events on several descriptors, a connection,
 * a signal, a child, a thread's end, terminal input, or a condition variable.
 */
bool sprof_profile_is_idle(const struct sprof_profile_context *context);

/*
 * By row: whether it is idle time; the caller frees it. Also idle: a thread that waits for output
 * of another process in the profile; and a thread that does nothing but wait for what may be a
 * queue, i.e. a semaphore, or a lock of unknown kind and holder. Returns NULL if out of memory.
 */
bool *sprof_profile_idle_rows(const struct sprof_profile *profile);

#endif
