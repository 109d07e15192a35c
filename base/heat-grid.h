/*
 * How many values of which size came when: a grid of time and the logarithm of the value. Its memory
 * is fixed: if time goes beyond the last column, two columns become one.
 */
#ifndef SPROF_BASE_HEAT_GRID_H
#define SPROF_BASE_HEAT_GRID_H

#include <stdint.h>

enum {
	SPROF_HEAT_COLUMNS = 256,
	SPROF_HEAT_STEPS = 4, /* rows for each power of two */
	SPROF_HEAT_ROWS = 64 * SPROF_HEAT_STEPS,
};

/* Zeroed is empty and valid. */
struct sprof_heat_grid {
	uint64_t begin_ns;  /* of the first column */
	uint64_t column_ns; /* its width; 0: there is no value */
	uint32_t columns;   /* that have been reached */
	uint32_t counts[SPROF_HEAT_COLUMNS][SPROF_HEAT_ROWS];
};

/* Earlier moments than the first one count as that one. */
void sprof_heat_grid_add(struct sprof_heat_grid *grid, uint64_t time_ns, uint64_t value);

/* The smallest value of a row. */
uint64_t sprof_heat_grid_least(unsigned row);

#endif
