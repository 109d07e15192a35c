/*
 * How many page faults one record stands for: one, so that a short program has all of them, or more
 * of them, so that the records can be read. Works on figures alone.
 */
#ifndef SPROF_EVENTS_FAULT_PACE_H
#define SPROF_EVENTS_FAULT_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct sprof_fault_pace {
	uint64_t period; /* faults for each record */
	bool is_fixed;   /* whatever happens */
	double credit;   /* records that may still come at once */
	uint64_t last_ns, last_lost;
	uint64_t calm_ns; /* since when there have been few records; 0: there are not */
};

/* `fixed`: the period to keep; 0: it begins with 1. */
struct sprof_fault_pace sprof_fault_pace_begin(uint64_t fixed);

/* What one reading has found. */
struct sprof_fault_load {
	uint64_t now_ns;
	uint64_t records; /* since the reading before */
	uint64_t lost;    /* all records so far that there was no room for */
};

/* True: the period is another one from now on, a power of two. */
bool sprof_fault_pace_step(struct sprof_fault_pace *pace, const struct sprof_fault_load *load);
/* The period could not be changed: the former one stays for ever. */
void sprof_fault_pace_keep(struct sprof_fault_pace *pace, uint64_t former);

#endif
