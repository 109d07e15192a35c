/*
 * New threads and child processes of traced processes. target.h has the search for the kernel's
 * workers.
 */
#pragma once

#include <sys/types.h>

#include "attach/target-internal.h"
#include "base/attributes.h"

/*
 * Returns the thread with this id, registered if new: it may stop before or after its creator's
 * event announces it. Returns NULL if it is not followed, gone, or out of memory.
 */
SPROF_MUST_USE struct sprof_thread *sprof_birth_adopt(struct sprof_target *target, pid_t tid);

/* Handles the clone, fork or vfork event at which `creator` is stopped. */
void sprof_birth_announced(struct sprof_target *target, struct sprof_thread *creator);
