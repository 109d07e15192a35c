/*
 * base/heat-grid: rows are in order and hold their values, columns join without a loss.
 */
#include <stdlib.h>

#include "base/heat-grid.h"
#include "tests/unit/check.h"

static uint64_t sum_of(const struct sprof_heat_grid *grid)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SPROF_HEAT_COLUMNS; i++) {
		for (unsigned row = 0; row < SPROF_HEAT_ROWS; row++)
			sum += grid->counts[i][row];
	}
	return sum;
}

/* The row that a single value is counted in. */
static unsigned row_of(uint64_t value)
{
	struct sprof_heat_grid *grid = calloc(1, sizeof(*grid));
	unsigned row = 0;

	assert_non_null(grid);
	sprof_heat_grid_add(grid, 1, value);
	while (row < SPROF_HEAT_ROWS && !grid->counts[0][row])
		row++;
	free(grid);
	return row;
}

static void rows_hold_their_values(void **state)
{
	for (unsigned row = 0; row + 1 < row_of(UINT64_MAX); row++) {
		uint64_t least = sprof_heat_grid_least(row), next = sprof_heat_grid_least(row + 1);

		assert_true(next > least);
		assert_int_equal(row_of(least), row);
		assert_int_equal(row_of(next - 1), row);
	}
	assert_true(row_of(UINT64_MAX) < SPROF_HEAT_ROWS);
}

static void columns_join(void **state)
{
	struct sprof_heat_grid *grid = calloc(1, sizeof(*grid));
	const uint64_t begin = 1000;

	assert_non_null(grid);
	for (uint64_t i = 0; i < 10000; i++)
		sprof_heat_grid_add(grid, begin + i * 1000000, i);
	assert_int_equal(sum_of(grid), 10000);
	assert_int_equal(grid->begin_ns, begin);
	assert_int_equal(grid->column_ns, 64000000);
	assert_int_equal(grid->columns, (10000 + 63) / 64);
	/* Of the past: in the first column. */
	sprof_heat_grid_add(grid, 0, 1);
	assert_int_equal(sum_of(grid), 10001);
	free(grid);
}

TEST_MAIN("heat-grid")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold_their_values),
		cmocka_unit_test(columns_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
