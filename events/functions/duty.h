/*
 * Schedules short measuring windows at random moments, so that the slowdown of the target stays
 * within a given share of time. Arithmetic only: the caller reads the clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sprof_duty {
	double share;      /* largest share of the target's time to take, such as 0.05 */
	uint64_t begin_ns; /* the run's start */
	uint64_t opened_ns, closed_ns; /* the last window */
	bool is_open;
	/*
	 * Of the open window, or of the last one: in proportion to the time since the window before
	 * it. After a window in which much was taken, the next one comes later: without weights,
	 * busy phases would count too little. What is counted in a window does not depend on its
	 * weight, because only earlier windows determine that.
	 */
	uint64_t weight;
	uint64_t next_ns; /* when the window opens or closes */
	unsigned short random[3];

	/* Of closed windows. */
	uint64_t windows, on_ns, taken_ns;
	/*
	 * sums of the weights, of the lengths and the counts by weight; by squared weight, also of
	 * the squares of the counts
	 */
	double weights, weighted_on_ns, sum, squared_weights, squared_sum, squares;
};

/* Schedules the first window. The seed determines all random moments. */
void sprof_duty_init(struct sprof_duty *duty, double share, uint64_t seed, uint64_t now_ns);

void sprof_duty_open(struct sprof_duty *duty, uint64_t now_ns);

/*
 * Closes the window. `taken_ns`: slowdown of the target in it; `counted`: what the error estimate
 * is computed from.
 */
void sprof_duty_close(
	struct sprof_duty *duty, uint64_t now_ns, uint64_t taken_ns, uint64_t counted);

/*
 * The relative standard error of the weighted mean of the counts: the spread to expect between
 * runs. Infinite with fewer than two windows, or a count of 0.
 */
double sprof_duty_error(const struct sprof_duty *duty);
