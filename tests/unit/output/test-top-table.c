/*
 * cmd/top-table: rows of the live view are sorted, filtered and made to fit.
 */
#include "output/top/table.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static const struct sprof_top_column columns[] = {
	{"CPU%", SPROF_TOP_PERCENT, 0, 0},
	{"SYS%", SPROF_TOP_PERCENT, 0, 1},
	{"KIND", SPROF_TOP_TEXT, 6, 2},
	{"FUNCTION", SPROF_TOP_FUNCTION, 0, 0},
};

static struct sprof_top_row *add(
	struct sprof_top_table *table, double cpu, const char *kind, const char *name)
{
	struct sprof_top_row *row = sprof_top_table_add(table);

	assert_non_null(row);
	row->id = table->count;
	row->cells[0].number = cpu;
	row->cells[2].text = kind;
	row->cells[3].text = name;
	return row;
}

static struct sprof_top_table three(void)
{
	struct sprof_top_table table = {.columns = columns, .column_count = 4};

	add(&table, 10, "io", "read_all");
	add(&table, 80.55, "lock", "parse");
	add(&table, 10, "io", "append");
	return table;
}

static void check_order(
	const struct sprof_top_table *table, const char *one, const char *two, const char *three_)
{
	assert_string_equal(table->rows[0].cells[3].text, one);
	assert_string_equal(table->rows[1].cells[3].text, two);
	assert_string_equal(table->rows[2].cells[3].text, three_);
}

static void figures_fall_and_texts_rise(void **state)
{
	struct sprof_top_table table = three();

	sprof_top_table_sort(&table, 0, false);
	check_order(&table, "parse", "append", "read_all");
	sprof_top_table_sort(&table, 0, true);
	check_order(&table, "append", "read_all", "parse");
	sprof_top_table_sort(&table, 3, false);
	check_order(&table, "append", "parse", "read_all");
	table.rows[1].is_last = true;
	sprof_top_table_sort(&table, 0, false);
	check_order(&table, "append", "read_all", "parse");
	sprof_top_table_sort(&table, 0, true);
	check_order(&table, "append", "read_all", "parse");
	table.rows[2].is_last = false;
	sprof_top_table_sort(&table, 3, false);
	check_order(&table, "append", "parse", "read_all");
	sprof_top_table_sort(&table, 99, false);
	check_order(&table, "append", "parse", "read_all");
	table.keeps_order = true;
	sprof_top_table_sort(&table, 3, true);
	check_order(&table, "append", "parse", "read_all");
	sprof_top_table_finish(&table);
}

static void a_filter_looks_at_all_texts(void **state)
{
	struct sprof_top_table table = three();
	struct sprof_error err;

	assert_true(sprof_top_table_filter(&table, "IO", &err));
	assert_int_equal(table.count, 2);
	assert_true(sprof_top_table_filter(&table, "^read", &err));
	assert_int_equal(table.count, 1);
	assert_false(sprof_top_table_filter(&table, "(", &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_int_equal(table.count, 1);
	sprof_top_table_finish(&table);
}

static void a_tree_keeps_what_is_above(void **state)
{
	struct sprof_top_table table = {.columns = columns, .column_count = 4};
	static const struct {
		uint32_t depth;
		const char *name;
	} rows[] = {{1, "main"}, {2, "load"}, {3, "beside"}, {3, "wanted"}, {2, "other"},
		{1, "thread"}};
	struct sprof_error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add(&table, 1, "", rows[i].name)->depth = rows[i].depth;
	assert_true(sprof_top_table_filter(&table, "wanted", &err));
	assert_int_equal(table.count, 3);
	check_order(&table, "main", "load", "wanted");
	sprof_top_table_finish(&table);
}

static void lines_fit_into_any_width(void **state)
{
	struct sprof_top_table table = three();

	table.rows[0].cells[3].text = "a_very_long_name_of_a_function_that_fits_nowhere";
	table.rows[0].cells[2].text = "\033[2J";
	table.rows[0].depth = 12;
	table.rows[0].mark = '+';
	for (size_t width = 0; width < 200; width++) {
		const struct sprof_top_layout layout = sprof_top_table_layout(&table, width);
		char *line = sprof_top_table_line(&table, &layout, &table.rows[0]);
		char *head = sprof_top_table_head(&table, &layout);

		assert_non_null(line);
		assert_non_null(head);
		assert_true(strlen(line) <= width && strlen(head) <= width);
		assert_null(strchr(line, '\033'));
		free(line);
		free(head);
	}
	sprof_top_table_finish(&table);
}

static void the_least_important_column_goes_first(void **state)
{
	struct sprof_top_table table = three();
	struct sprof_top_layout layout = sprof_top_table_layout(&table, 80);

	for (size_t i = 0; i < 4; i++)
		assert_true(layout.width[i]);
	assert_int_equal(sprof_top_table_column_at(&table, &layout, layout.start[3]), 3);
	assert_int_equal(sprof_top_table_column_at(&table, &layout, 500), 4);
	layout = sprof_top_table_layout(&table, 50);
	assert_int_equal(layout.width[1], 0);
	assert_true(layout.width[2]);
	layout = sprof_top_table_layout(&table, 40);
	assert_int_equal(layout.width[2], 0);
	assert_true(layout.width[0] && layout.width[3]);
	sprof_top_table_finish(&table);
}

TEST_MAIN("top-table")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_fall_and_texts_rise),
		cmocka_unit_test(a_filter_looks_at_all_texts),
		cmocka_unit_test(a_tree_keeps_what_is_above),
		cmocka_unit_test(lines_fit_into_any_width),
		cmocka_unit_test(the_least_important_column_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
