/*
 * Which system calls survive a stop of ours unnoticed.
 */
#ifndef SPROF_SAMPLER_RESTART_H
#define SPROF_SAMPLER_RESTART_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the kernel restarts the call by itself after a ptrace-stop, with its time-out kept
 * (signal(7), "Interruption of system calls and library functions by stop signals", and measured).
 * False for all others, also for those that only might return EINTR.
 */
bool sprof_system_call_restarts(int64_t number);

#endif
