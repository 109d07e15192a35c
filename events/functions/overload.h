/*
 * Detects that tracing slows the target too much for too long. Arithmetic only: the caller reads
 * the clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sprof_overload {
	double share; /* largest acceptable share of the target's time; 0: no limit */
	uint64_t since_ns;
	uint64_t next_ns; /* the period's end; UINT64_MAX: never */
};

void sprof_overload_init(struct sprof_overload *overload, double share, uint64_t now_ns);

/*
 * Ends a period and begins the next. `taken_ns`: time taken from the thread most affected. Returns
 * true if that exceeds the share.
 */
bool sprof_overload_is(struct sprof_overload *overload, uint64_t now_ns, uint64_t taken_ns);
