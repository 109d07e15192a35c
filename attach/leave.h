/*
 * Threads that are detached before they end: those of a 32-bit program or of another tracer.
 */
#ifndef SPROF_ATTACH_LEAVE_H
#define SPROF_ATTACH_LEAVE_H

#include <stdbool.h>

#include "attach/target-internal.h"

/* Called at the thread's last stop. The thread is reported as ENDED; its release detaches it. */
void sprof_target_leave(struct sprof_target *target, struct sprof_thread *thread);

/* Called at the thread's exec stop. True: its program has another word size (word-size.h), so the
 * thread leaves. */
bool sprof_target_leaves_narrow(struct sprof_target *target, struct sprof_thread *thread);

#endif
