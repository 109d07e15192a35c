/*
 * cmd/top-page: every size of a terminal has a place for everything that fits.
 */
#include "cmd/top/page.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static const struct sprof_top_column columns[] = {
	{"CPU%", SPROF_TOP_PERCENT, 0, 0}, {"FUNCTION", SPROF_TOP_FUNCTION, 0, 0}};

static void every_row_has_a_line(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = {.columns = columns, .column_count = 2};
	enum sprof_top_style style;

	for (size_t rows = 1; rows < 80; rows++) {
		const struct sprof_top_page page = sprof_top_page_plan(rows, rows * 3);
		const struct sprof_top_contents contents = {
			.head = {.command = "app", .state = &state},
			.table = &table,
			.layout = sprof_top_table_layout(&table, page.columns),
		};

		assert_true(page.first_row + page.table_rows <= rows);
		for (size_t row = 0; row < rows; row++) {
			char *line = sprof_top_page_line(&page, &contents, row, &style);

			assert_non_null(line);
			free(line);
		}
	}
	sprof_top_state_finish(&state);
}

static void clicks_choose_views_and_columns(void **unused)
{
	struct sprof_top_state state = sprof_top_state_begin();
	struct sprof_top_table table = {.columns = columns, .column_count = 2};
	const struct sprof_top_page page = sprof_top_page_plan(24, 80);
	const struct sprof_top_contents contents = {
		.head = {.command = "app", .state = &state},
		.table = &table,
		.layout = sprof_top_table_layout(&table, 80),
	};

	assert_true(sprof_top_page_click(&page, &state, &contents, page.titles_row, 20));
	assert_int_equal(state.places[SPROF_TOP_FUNCTIONS].column, 1);
	assert_true(sprof_top_page_click(&page, &state, &contents, page.tabs_row, 15));
	assert_int_equal(state.view, SPROF_TOP_THREADS);
	assert_true(sprof_top_page_click(&page, &state, &contents, page.tabs_row, 79));
	assert_int_equal(state.view, SPROF_TOP_THREADS);
	assert_true(sprof_top_page_click(&page, &state, &contents, page.first_row + 3, 0));
	assert_int_equal(state.places[SPROF_TOP_THREADS].at, 0);
	sprof_top_state_finish(&state);
}

TEST_MAIN("top-page")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_has_a_line),
		cmocka_unit_test(clicks_choose_views_and_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
