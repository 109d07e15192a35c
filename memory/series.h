/*
 * A figure over time: its least, greatest and mean value, how fast it grows, and its course in a
 * fixed number of steps.
 */
#ifndef SPROF_MEMORY_SERIES_H
#define SPROF_MEMORY_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPROF_SERIES_STEPS = 256 };

/* Zeroed is empty and valid. */
struct sprof_series {
	uint64_t count; /* readings */
	uint64_t first_ns, last_ns;
	uint64_t last, min, max;
	uint64_t max_ns; /* when the greatest value was read first */
	/* The sums of a regression, with times since the first reading in s. */
	double times, values, squares, products;
	double area;      /* value times ns: each reading holds until the next */
	uint64_t step_ns; /* the width of a step; 0: there is none */
	size_t steps;     /* that have been reached */
	/* the greatest value of each step; a step without a reading has that of the one before */
	uint64_t course[SPROF_SERIES_STEPS];
};

/* Times rise. */
void sprof_series_add(struct sprof_series *series, uint64_t time_ns, uint64_t value);

/* Over the time from the first reading to the last; of one reading, that. 0: there is none. */
double sprof_series_mean(const struct sprof_series *series);

/* The slope of the line through all readings, by least squares. False: they have one moment. */
bool sprof_series_growth(const struct sprof_series *series, double *ret_per_second);

#endif
