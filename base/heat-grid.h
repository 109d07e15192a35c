/*
 * A histogram over time and the logarithm of values. Its memory is fixed: if time exceeds the last
 * column, pairs of columns are merged.
 */
#pragma once

#include <stdint.h>

enum {
	SPROF_HEAT_COLUMNS = 256,
	SPROF_HEAT_STEPS = 4, /* rows per power of two */
	SPROF_HEAT_ROWS = 64 * SPROF_HEAT_STEPS,
};

/* Zeroed is empty and valid. */
struct sprof_heat_grid {
	uint64_t begin_ns;  /* of the first column */
	uint64_t column_ns; /* width of a column; 0: no values */
	uint32_t columns;   /* columns reached so far */
	uint32_t counts[SPROF_HEAT_COLUMNS][SPROF_HEAT_ROWS];
};

/* Times before begin_ns count as begin_ns. */
void sprof_heat_grid_add(struct sprof_heat_grid *grid, uint64_t time_ns, uint64_t value);

/* The lower bound of a row. */
uint64_t sprof_heat_grid_least(unsigned row);
