/* The cost of observing a system call. */
#pragma once

#include <stdint.h>

/*
 * The measured latency of a system call that takes no time, in ns: the shortest of many calls of a
 * child process, for the calling thread and its present affinity. 0: could not be measured.
 */
uint64_t sprof_call_floor_ns(void);
