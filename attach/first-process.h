/* The first process of a pid namespace, such as a container's, when a fault kills it. */
#pragma once

#include <stdbool.h>

#include "attach/stop.h"
#include "attach/thread.h"

/*
 * At a signal-stop: whether the thread will die of this fault only if it is not traced. If so,
 * prepares its registers: detached, it makes the fault again.
 */
bool sprof_first_process_must_leave(struct sprof_thread *thread, struct sprof_stop stop);
