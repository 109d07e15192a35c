/* A grid of counts with columns that double in width. Does not draw. */
#include "base/heat-grid.h"

#include <string.h>

#include "base/numbers.h"

static const uint64_t FIRST_COLUMN_NS = 1000 * 1000;

enum { STEP_BITS = 2 }; /* SPROF_HEAT_STEPS */

static unsigned row_of(uint64_t value)
{
	unsigned octave;

	if (value < SPROF_HEAT_STEPS)
		return (unsigned)value;
	octave = 63 - (unsigned)__builtin_clzll(value);
	return (octave - STEP_BITS + 1) * SPROF_HEAT_STEPS +
		((unsigned)(value >> (octave - STEP_BITS)) & (SPROF_HEAT_STEPS - 1));
}

uint64_t sprof_heat_grid_least(unsigned row)
{
	unsigned octave = row / SPROF_HEAT_STEPS;

	if (!octave)
		return row;
	return (uint64_t)(SPROF_HEAT_STEPS + row % SPROF_HEAT_STEPS) << (octave - 1);
}

static void join_columns(struct sprof_heat_grid *grid)
{
	const unsigned half = SPROF_HEAT_COLUMNS / 2;

	for (unsigned i = 0; i < half; i++) {
		for (unsigned row = 0; row < SPROF_HEAT_ROWS; row++)
			grid->counts[i][row] =
				grid->counts[2 * i][row] + grid->counts[2 * i + 1][row];
	}
	memset(&grid->counts[half], 0, half * sizeof(grid->counts[0]));
	grid->column_ns *= 2;
	grid->columns = (grid->columns + 1) / 2;
}

void sprof_heat_grid_add(struct sprof_heat_grid *grid, uint64_t time_ns, uint64_t value)
{
	uint64_t since, column;

	if (!grid->column_ns) {
		grid->begin_ns = time_ns;
		grid->column_ns = FIRST_COLUMN_NS;
	}
	since = sprof_minus(time_ns, grid->begin_ns);
	while (since / grid->column_ns >= SPROF_HEAT_COLUMNS)
		join_columns(grid);
	column = since / grid->column_ns;
	grid->counts[column][row_of(value)]++;
	if (column >= grid->columns)
		grid->columns = (uint32_t)column + 1;
}
