/*
 * Detaches threads before their end: those of 32-bit programs, and those that another tracer wants.
 */
#pragma once

#include <stdbool.h>

#include "attach/target-internal.h"

/* Called at the thread's last stop. It is reported as ENDED; its release detaches it. */
void sprof_target_leave(struct sprof_target *target, struct sprof_thread *thread);

/* Called at the thread's exec stop. Returns true if its program has another word size
 * (attach/proc/word-size.h), so that the thread leaves. */
bool sprof_target_leaves_narrow(struct sprof_target *target, struct sprof_thread *thread);
