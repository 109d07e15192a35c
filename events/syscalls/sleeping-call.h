/* The system call that a thread is blocked in when tracing begins. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "events/syscalls/open-calls.h"

/*
 * Reads /proc/PID/task/TID/syscall (proc_pid_syscall(5)); the call's start time is now_ns. Returns
 * false if the thread runs, is in no call, or the file can't be read.
 */
bool sprof_call_find(struct sprof_thread *thread, uint64_t now_ns, struct open_call *ret);
