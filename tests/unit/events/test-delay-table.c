/*
 * events/delay-table: rows by pair and by key, intervals and the run, and the rest.
 */
#include "events/pairs/delay-table.h"

#include "tests/unit/check.h"
#include "tests/unit/short-memory.h"

static char on[] = "on", off[] = "off";
static const struct sprof_event_item items[] = {
	{.name = off, .index = 0}, {.name = on, .index = 1}};
static const struct sprof_trace_event event1 = {.time_ns = 5, .thread = 9};

/* An instance of items[first] and items[second]. */
static bool add(
	struct sprof_delay_table *table, size_t first, size_t second, int64_t key, uint64_t latency)
{
	struct sprof_trace_event event2 = {.time_ns = 5 + latency};
	struct sprof_trace_instance instance = {
		.event1 = {.event = &event1, .item = &items[first], .key = key},
		.event2 = {.event = &event2, .item = &items[second], .key = key},
		.latency_ns = latency,
		.over = latency > 100,
		.under = latency < 10,
	};

	return sprof_delay_table_add(table, &instance);
}

static void one_row_per_pair(void **state)
{
	struct sprof_delay_table table = {0};
	struct sprof_delay_figures figures;

	for (int64_t key = 0; key < 100; key++)
		assert_true(add(&table, 0, 1, key, 10 + (uint64_t)key));
	assert_true(add(&table, 1, 0, 3, 5));
	assert_int_equal(table.count, 2);
	assert_ptr_equal(table.rows[0].item1, &items[0]);
	assert_ptr_equal(table.rows[0].item2, &items[1]);
	assert_false(table.rows[0].has_key);
	figures = sprof_delay_figures(&table.rows[0].interval);
	assert_int_equal(figures.calls, 100);
	assert_int_equal(figures.total, 10 * 100 + 99 * 100 / 2);
	assert_int_equal(figures.min, 10);
	/* Below 128 ns each latency has a step of its own. */
	assert_int_equal(figures.p50, 59);
	assert_int_equal(figures.p95, 104);
	assert_int_equal(figures.p99, 108);
	assert_int_equal(figures.max, 109);
	assert_int_equal(figures.over, 9);
	assert_int_equal(figures.under, 0);
	assert_int_equal(sprof_delay_figures(&table.rows[1].interval).under, 1);
	sprof_delay_table_finish(&table);
}

static void one_row_per_key(void **state)
{
	struct sprof_delay_table table = {.by_key = true};

	assert_true(add(&table, 0, 1, -7, 10));
	assert_true(add(&table, 0, 1, 0, 20));
	assert_true(add(&table, 0, 1, -7, 30));
	assert_true(add(&table, 1, 0, -7, 40));
	assert_int_equal(table.count, 3);
	assert_true(table.rows[0].has_key);
	assert_int_equal(table.rows[0].key, -7);
	assert_int_equal(table.rows[0].thread, 9);
	assert_int_equal(table.rows[0].interval.latencies.total, 40);
	assert_int_equal(table.rows[1].key, 0);
	assert_int_equal(table.rows[2].interval.latencies.total, 40);
	sprof_delay_table_finish(&table);
}

static void further_keys_share_a_row(void **state)
{
	struct sprof_delay_table table = {.by_key = true, .max_rows = 2};

	for (int64_t key = 0; key < 10; key++)
		assert_true(add(&table, 0, 1, key, 10));
	assert_true(add(&table, 0, 1, 1, 10));
	assert_int_equal(table.count, 3);
	assert_int_equal(table.rest, 8);
	assert_true(table.rows[2].is_rest && !table.rows[2].has_key);
	assert_int_equal(table.rows[1].interval.latencies.count, 2);
	assert_int_equal(table.rows[2].interval.latencies.count, 8);
	sprof_delay_table_finish(&table);
}

static void the_run_is_all_intervals(void **state)
{
	struct sprof_delay_table table = {0};
	struct sprof_delay_figures figures;

	for (uint64_t i = 0; i < 3; i++) {
		assert_true(add(&table, 0, 1, 0, 5 + 100 * i));
		assert_true(add(&table, 0, 1, 0, 7));
		assert_int_equal(sprof_delay_figures(&table.rows[0].interval).calls, 2);
		assert_true(sprof_delay_table_end_interval(&table));
		assert_int_equal(sprof_delay_figures(&table.rows[0].interval).calls, 0);
		assert_int_equal(sprof_delay_figures(&table.rows[0].interval).over, 0);
	}
	figures = sprof_delay_figures(&table.rows[0].run);
	assert_int_equal(figures.calls, 6);
	assert_int_equal(figures.total, 5 + 105 + 205 + 21);
	assert_int_equal(figures.min, 5);
	assert_int_equal(figures.max, 205);
	assert_int_equal(figures.over, 2);
	assert_int_equal(figures.under, 4);
	/* An interval in which nothing happened. */
	assert_true(sprof_delay_table_end_interval(&table));
	assert_int_equal(sprof_delay_figures(&table.rows[0].run).calls, 6);
	sprof_delay_table_finish(&table);
	assert_int_equal(table.count, 0);
}

static void without_memory_nothing_is_counted(void **state)
{
	unsigned long number = 0;
	bool ok;

	do {
		struct sprof_delay_table table = {0};

		short_memory_begin(++number);
		ok = add(&table, 0, 1, 0, 50) && sprof_delay_table_end_interval(&table);
		short_memory_end();
		sprof_delay_table_finish(&table);
	} while (!ok);
	assert_true(number > 3);
}

TEST_MAIN("delay-table")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_row_per_pair),
		cmocka_unit_test(one_row_per_key),
		cmocka_unit_test(further_keys_share_a_row),
		cmocka_unit_test(the_run_is_all_intervals),
		cmocka_unit_test(without_memory_nothing_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
