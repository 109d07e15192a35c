/*
 * What it costs to see a system call.
 */
#ifndef SPROF_ATTACH_FLOOR_H
#define SPROF_ATTACH_FLOOR_H

#include <stdint.h>

/*
 * How long a system call that takes no time seems to take, in ns: the median of the calls of a
 * process that is started for this and ended. Of the calling thread: on the CPUs that it may use
 * now. 0: it could not be measured.
 */
uint64_t sprof_call_floor_ns(void);

#endif
