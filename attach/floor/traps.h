/* The cost of hitting a breakpoint. */
#pragma once

#include <stdint.h>

/* For one stop, in ns. */
struct sprof_trap_cost {
	uint64_t gap_ns; /* from a thread's resume until its next, immediate stop is noticed */
	uint64_t cpu_ns; /* part of it that the thread itself ran, by schedstat; 0: unknown */
};

/* Medians. Zeroed: could not be measured. */
struct sprof_trap_floor {
	struct sprof_trap_cost here; /* with the tracer on the thread's CPU */
	/* with the tracer on another CPU; equal to `here` if there is none */
	struct sprof_trap_cost elsewhere;
};

/* Measured with child processes. Moves the calling thread between CPUs, and back. */
struct sprof_trap_floor sprof_trap_floor(void);
