/*
 * What it costs a thread to come to a breakpoint.
 */
#ifndef SPROF_ATTACH_TRAP_FLOOR_H
#define SPROF_ATTACH_TRAP_FLOOR_H

#include <stdint.h>

/*
 * The least time, in ns, from when a thread goes on to its next stop, if that is at a breakpoint at once.
 * Measured with a process that is started for this and ended. 0: it could not be measured.
 */
uint64_t sprof_trap_floor_ns(void);

#endif
