/*
 * What it costs a thread to come to a breakpoint.
 */
#ifndef SPROF_ATTACH_TRAP_FLOOR_H
#define SPROF_ATTACH_TRAP_FLOOR_H

#include <stdint.h>

/* Of one stop, in ns. */
struct sprof_trap_cost {
	uint64_t
		gap_ns; /* from when a thread goes on until its next stop is seen, if that is at once */
	uint64_t
		cpu_ns; /* what of it the thread itself has run, by schedstat; 0: the kernel doesn't tell */
};

/* Medians. Zeroed: they could not be measured. */
struct sprof_trap_floor {
	struct sprof_trap_cost here;      /* the tracer is on the thread's CPU */
	struct sprof_trap_cost elsewhere; /* on another one; as `here` if there is none */
};

/* Measured with processes that are started for this and ended. Moves the calling thread, and back. */
struct sprof_trap_floor sprof_trap_floor(void);

#endif
