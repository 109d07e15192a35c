/*
 * A figure over time: minimum, maximum, mean, growth rate, and its course in a fixed number of
 * steps.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPROF_SERIES_STEPS = 256 };

/* Zeroed is empty and valid. */
struct sprof_series {
	uint64_t count; /* number of readings */
	uint64_t first_ns, last_ns;
	uint64_t last, min, max;
	uint64_t max_ns; /* when the maximum was first read */
	/* The sums of a linear regression, with times in s since the first reading. */
	double times, values, squares, products;
	double area;      /* value * ns: each reading is valid until the next */
	uint64_t step_ns; /* width of a step; 0: no readings */
	size_t steps;     /* steps reached so far */
	/* maximum of each step; a step without a reading repeats the one before */
	uint64_t course[SPROF_SERIES_STEPS];
};

/* Times must not decrease. */
void sprof_series_add(struct sprof_series *series, uint64_t time_ns, uint64_t value);

/* The mean from the first reading to the last; of a single reading, its value. 0: no readings. */
double sprof_series_mean(const struct sprof_series *series);

/*
 * The slope of the least-squares line through all readings. Returns false if they have the same
 * time.
 */
bool sprof_series_growth(const struct sprof_series *series, double *ret_per_second);
