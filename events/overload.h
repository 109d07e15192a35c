/*
 * Whether watching takes too much of the target's time for too long. Arithmetic only: the caller reads
 * the clock.
 */
#ifndef SPROF_EVENTS_OVERLOAD_H
#define SPROF_EVENTS_OVERLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct sprof_overload {
	double share; /* of the target's time that may be taken; 0: all */
	uint64_t since_ns;
	uint64_t next_ns; /* when the period is over; UINT64_MAX: never */
};

void sprof_overload_init(struct sprof_overload *overload, double share, uint64_t now_ns);

/*
 * A period is over, and the next one begins. `taken_ns`: of the time of the thread that has lost most in
 * it. True: more than the share.
 */
bool sprof_overload_is(struct sprof_overload *overload, uint64_t now_ns, uint64_t taken_ns);

#endif
