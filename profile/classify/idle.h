/* Idle threads: they wait for work, so the program loses no time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/classify/wait-facts.h"
#include "profile/model/profile.h"

/*
 * Why a thread blocked there is idle, such as "no goroutine to run". NULL: it is not idle by its
 * stack.
 */
const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack);

/*
 * By row: whether its thread waits for work. Waits for a connection, a child, a thread's end or
 * terminal input do; waits for events or on a condition variable do if known functions
 * (profile/classify/wait-facts.h) or the thread's main loop make them. A thread that does nothing
 * but wait for what may be a queue waits for work, too: a semaphore, or a lock of unknown kind and
 * holder. The caller frees it. Returns NULL if out of memory.
 */
bool *sprof_profile_waits_for_work(const struct sprof_profile *profile);

/*
 * By row: whether it is idle time. A thread that waits for output of another process in the profile
 * is idle, too. The caller frees it. Returns NULL if out of memory.
 */
bool *sprof_profile_idle_rows(const struct sprof_profile *profile);

/* The kind of a row's wait. A known function may correct it; then *ret_known has that function. */
enum sprof_wait_kind sprof_profile_kind_of_wait(const struct sprof_profile *profile,
	const struct sprof_profile_row *row, struct sprof_known_wait *ret_known);
