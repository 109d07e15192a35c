/*
 * memory/series: least, greatest and mean values, growth, and the course of long runs.
 */
#include "memory/series.h"

#include "base/clock.h"
#include "tests/unit/check.h"

enum { BEGIN = 12345 };

static void add_line(struct sprof_series *series, size_t count, uint64_t period_ns, uint64_t slope)
{
	for (size_t i = 0; i < count; i++)
		sprof_series_add(series, BEGIN + i * period_ns, 1000 + i * slope);
}

static void nothing_is_known_of_nothing(void **state)
{
	struct sprof_series series = {0};
	double growth;

	assert_false(sprof_series_growth(&series, &growth));
	sprof_series_add(&series, BEGIN, 7);
	assert_false(sprof_series_growth(&series, &growth));
	assert_int_equal(sprof_series_mean(&series), 7);
	assert_int_equal(series.max_ns, BEGIN);
}

static void a_line_has_its_slope(void **state)
{
	struct sprof_series series = {0};
	double growth;

	add_line(&series, 11, 100 * SPROF_NS_PER_MS, 50);
	assert_true(sprof_series_growth(&series, &growth));
	assert_float_equal(growth, 500, 1e-6);
	assert_int_equal(series.min, 1000);
	assert_int_equal(series.max, 1500);
	assert_int_equal(series.max_ns, BEGIN + SPROF_NS_PER_S);
	/* Each value holds until the next one. */
	assert_float_equal(sprof_series_mean(&series), 1225, 1e-6);
}

/* As numpy.polyfit([0, 1, 2, 4], [3, 1, 4, 1], 1) says. */
static void growth_is_by_least_squares(void **state)
{
	static const struct {
		uint64_t second, value;
	} points[] = {{0, 3}, {1, 1}, {2, 4}, {4, 1}};
	struct sprof_series series = {0};
	double growth;

	for (size_t i = 0; i < 4; i++)
		sprof_series_add(
			&series, BEGIN + points[i].second * SPROF_NS_PER_S, points[i].value);
	assert_true(sprof_series_growth(&series, &growth));
	assert_float_equal(growth, -11.0 / 35, 1e-9);
}

/* Steps widen, and the greatest value of each stays. */
static void long_runs_keep_their_course(void **state)
{
	struct sprof_series series = {0};
	uint64_t most = 0;

	add_line(&series, 100000, 10 * SPROF_NS_PER_MS, 1);
	assert_true(series.steps <= SPROF_SERIES_STEPS);
	assert_true(series.steps > SPROF_SERIES_STEPS / 2);
	for (size_t i = 0; i < series.steps; i++) {
		assert_true(series.course[i] > most);
		most = series.course[i];
	}
	assert_int_equal(most, series.max);
	assert_true(series.step_ns * series.steps >= series.last_ns - series.first_ns);
}

static void a_pause_repeats_the_last_value(void **state)
{
	struct sprof_series series = {0};

	sprof_series_add(&series, BEGIN, 5);
	sprof_series_add(&series, BEGIN + 100 * SPROF_NS_PER_MS, 2);
	assert_int_equal(series.steps, 101);
	assert_int_equal(series.course[0], 5);
	assert_int_equal(series.course[50], 5);
	assert_int_equal(series.course[100], 2);
}

TEST_MAIN("series")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_nothing),
		cmocka_unit_test(a_line_has_its_slope),
		cmocka_unit_test(growth_is_by_least_squares),
		cmocka_unit_test(long_runs_keep_their_course),
		cmocka_unit_test(a_pause_repeats_the_last_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
