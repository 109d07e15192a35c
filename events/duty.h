/*
 * When something that slows the target down is done for a while: in short windows at random moments,
 * as seldom as the share of time allows that it may take. Arithmetic only: the caller reads the clock.
 */
#ifndef SPROF_EVENTS_DUTY_H
#define SPROF_EVENTS_DUTY_H

#include <stdbool.h>
#include <stdint.h>

struct sprof_duty {
	double share;      /* of the target's time that may be taken: 0.05 */
	uint64_t begin_ns; /* of the run */
	uint64_t opened_ns;
	bool is_open;
	uint64_t next_ns; /* when the window opens or closes */
	unsigned short random[3];

	/* Of the windows that are closed. */
	uint64_t windows, on_ns, taken_ns;
	double sum, squares; /* of what was counted in them */
};

/* The first window opens at a random moment soon. The seed decides all moments. */
void sprof_duty_init(struct sprof_duty *duty, double share, uint64_t seed, uint64_t now_ns);

void sprof_duty_open(struct sprof_duty *duty, uint64_t now_ns);

/* The window is over. `taken_ns`: of the target's time; `counted`: what it is about, for the error. */
void sprof_duty_close(
	struct sprof_duty *duty, uint64_t now_ns, uint64_t taken_ns, uint64_t counted);

/*
 * The standard error of what was counted, as a part of it: how far another run's windows would lie
 * from it. Infinite: fewer than two windows, or nothing was counted.
 */
double sprof_duty_error(const struct sprof_duty *duty);

#endif
