/*
 * Chooses how many page faults one record represents: 1 for a short program, more if there are too
 * many records to read. Arithmetic only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sprof_fault_pace {
	uint64_t period; /* faults per record */
	bool is_fixed;   /* the period never changes */
	double credit;   /* records that may still come at once */
	uint64_t last_ns, last_lost;
	uint64_t calm_ns; /* since when there have been few records; 0: not now */
};

/* `fixed`: a constant period; 0: adapt, beginning with 1. */
struct sprof_fault_pace sprof_fault_pace_begin(uint64_t fixed);

/* Result of one reading of the rings. */
struct sprof_fault_load {
	uint64_t now_ns;
	uint64_t records; /* since the previous reading */
	uint64_t lost;    /* total of records lost because the ring was full */
};

/* Returns true if `period` has changed; it is a power of two. */
bool sprof_fault_pace_step(struct sprof_fault_pace *pace, const struct sprof_fault_load *load);
/* The period could not be changed: keeps `former` from now on. */
void sprof_fault_pace_keep(struct sprof_fault_pace *pace, uint64_t former);
