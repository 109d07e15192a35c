/*
 * The system call that a thread sleeps in when tracing begins.
 */
#ifndef SPROF_EVENTS_CALL_FOUND_H
#define SPROF_EVENTS_CALL_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "events/caller.h"

/*
 * Reads it from /proc/PID/task/TID/syscall (proc_pid_syscall(5)); its begin counts as now_ns. False:
 * the thread is in none, or runs, or that can't be read.
 */
bool sprof_call_find(struct sprof_thread *thread, uint64_t now_ns, struct open_call *ret);

#endif
