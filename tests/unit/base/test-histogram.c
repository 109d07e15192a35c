/*
 * base/histogram: quantiles against the sorted values, exact figures, merging, and memory that runs
 * short.
 */
#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/check.h"
#include "tests/unit/short-memory.h"

enum { COUNT = 20000 };

static const double fractions[] = {
	0, 0.001, 0.01, 0.07, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* In (0, 1]. */
static double next_share(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 1) / 9007199254740992.0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The nearest rank, by integers: fraction is in thousandths. */
static uint64_t exact_quantile(const uint64_t *sorted, size_t count, double fraction)
{
	size_t thousandths = (size_t)(fraction * 1000 + 0.5),
	       rank = (count * thousandths + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

static void check_quantiles(uint64_t *values, size_t count)
{
	struct sprof_histogram histogram = {0};
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		assert_true(sprof_histogram_add(&histogram, values[i]));
		total += values[i];
	}
	qsort(values, count, sizeof(values[0]), compare);
	assert_int_equal(histogram.count, count);
	assert_int_equal(histogram.total, total);
	assert_int_equal(histogram.min, values[0]);
	assert_int_equal(histogram.max, values[count - 1]);
	for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
		uint64_t exact = exact_quantile(values, count, fractions[i]);
		uint64_t found = sprof_histogram_quantile(&histogram, fractions[i]);

		assert_true(fabs((double)found - (double)exact) <= 0.01 * (double)exact);
	}
	sprof_histogram_finish(&histogram);
}

static void uniform_values(void **state)
{
	static uint64_t values[COUNT];
	uint64_t seed = 1;

	for (size_t i = 0; i < COUNT; i++)
		values[i] = (uint64_t)(next_share(&seed) * 1e6);
	check_quantiles(values, COUNT);
}

static void exponential_values(void **state)
{
	static uint64_t values[COUNT];
	uint64_t seed = 2;

	for (size_t i = 0; i < COUNT; i++)
		values[i] = (uint64_t)(-log(next_share(&seed)) * 50000);
	check_quantiles(values, COUNT);
}

static void two_peaks(void **state)
{
	static uint64_t values[COUNT];
	uint64_t seed = 3;

	for (size_t i = 0; i < COUNT; i++) {
		double share = next_share(&seed);

		values[i] = next_random(&seed) % 10 ? 900 + (uint64_t)(share * 200)
						    : 4000000000 + (uint64_t)(share * 1e8);
	}
	check_quantiles(values, COUNT);
}

static void constant_values(void **state)
{
	static const uint64_t constants[] = {0, 1, 63, 64, 127, 128, 4001400, UINT64_MAX / COUNT};
	static uint64_t values[COUNT];

	for (size_t each = 0; each < sizeof(constants) / sizeof(constants[0]); each++) {
		struct sprof_histogram histogram = {0};

		for (size_t i = 0; i < COUNT; i++) {
			values[i] = constants[each];
			assert_true(sprof_histogram_add(&histogram, constants[each]));
		}
		/* min and max are exact, so this is too. */
		assert_int_equal(sprof_histogram_quantile(&histogram, 0.5), constants[each]);
		sprof_histogram_finish(&histogram);
		check_quantiles(values, COUNT);
	}
}

static void one_value_at_each_power_of_two(void **state)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		for (int64_t beside = -1; beside <= 1; beside++) {
			uint64_t value = (UINT64_C(1) << bit) + (uint64_t)beside;

			check_quantiles(&value, 1);
		}
	}
}

static void every_octave_is_within_one_percent(void **state)
{
	uint64_t seed = 4;

	for (unsigned bit = 0; bit < 60; bit++) {
		uint64_t values[5];

		for (size_t i = 0; i < 5; i++)
			values[i] =
				(UINT64_C(1) << bit) + next_random(&seed) % (UINT64_C(1) << bit);
		check_quantiles(values, 5);
	}
}

static void an_empty_one_has_no_value(void **state)
{
	struct sprof_histogram histogram = {0};

	assert_int_equal(sprof_histogram_quantile(&histogram, 0.5), 0);
	assert_true(sprof_histogram_merge(&histogram, &(struct sprof_histogram){0}));
	assert_int_equal(histogram.count, 0);
	sprof_histogram_finish(&histogram);
}

static void a_total_that_does_not_fit_stays_at_the_end(void **state)
{
	struct sprof_histogram histogram = {0};

	assert_true(sprof_histogram_add(&histogram, UINT64_MAX));
	assert_true(sprof_histogram_add(&histogram, UINT64_MAX));
	assert_int_equal(histogram.total, UINT64_MAX);
	assert_int_equal(sprof_histogram_quantile(&histogram, 0.5), UINT64_MAX);
	sprof_histogram_finish(&histogram);
}

static void merging_equals_adding(void **state)
{
	struct sprof_histogram parts[3] = {0}, whole = {0}, merged = {0};
	uint64_t seed = 5;

	for (size_t i = 0; i < COUNT; i++) {
		uint64_t value = next_random(&seed) >> (next_random(&seed) % 60 + 4);

		assert_true(sprof_histogram_add(&parts[i % 3], value));
		assert_true(sprof_histogram_add(&whole, value));
	}
	for (size_t i = 0; i < 3; i++)
		assert_true(sprof_histogram_merge(&merged, &parts[i]));
	assert_int_equal(merged.count, whole.count);
	assert_int_equal(merged.total, whole.total);
	assert_int_equal(merged.min, whole.min);
	assert_int_equal(merged.max, whole.max);
	for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++)
		assert_int_equal(sprof_histogram_quantile(&merged, fractions[i]),
			sprof_histogram_quantile(&whole, fractions[i]));
	for (size_t i = 0; i < 3; i++)
		sprof_histogram_finish(&parts[i]);
	sprof_histogram_finish(&whole);
	sprof_histogram_finish(&merged);
}

static void scaled_values_count_more_or_less_often(void **state)
{
	struct sprof_histogram merged = {0}, seen = {0};

	for (int i = 0; i < 5; i++)
		assert_true(sprof_histogram_add(&merged, 1));
	assert_true(sprof_histogram_add_times(&seen, 10, 100));
	assert_true(sprof_histogram_add_times(&seen, 50, 300));
	assert_true(sprof_histogram_merge_scaled(&merged, &seen, 0.05));
	assert_int_equal(merged.count, 5 + 5 + 15);
	assert_int_equal(merged.total, 5 + 50 + 750);
	assert_int_equal(sprof_histogram_quantile(&merged, 0.2), 1);
	assert_int_equal(sprof_histogram_quantile(&merged, 0.4), 10);
	assert_int_equal(merged.max, 50);
	sprof_histogram_finish(&merged);
	sprof_histogram_finish(&seen);
}

static void a_reset_forgets_the_values(void **state)
{
	struct sprof_histogram histogram = {0};

	assert_true(sprof_histogram_add(&histogram, 1));
	assert_true(sprof_histogram_add(&histogram, 1000000));
	sprof_histogram_reset(&histogram);
	assert_int_equal(histogram.count, 0);
	for (int i = 0; i < 3; i++)
		assert_true(sprof_histogram_add(&histogram, 5000));
	assert_int_equal(histogram.min, 5000);
	assert_int_equal(histogram.max, 5000);
	assert_int_equal(histogram.total, 15000);
	assert_int_equal(sprof_histogram_quantile(&histogram, 0.5), 5000);
	sprof_histogram_finish(&histogram);
}

static void without_memory_nothing_is_counted(void **state)
{
	struct sprof_histogram histogram = {0}, other = {0};

	assert_true(sprof_histogram_add(&other, 7));
	assert_true(sprof_histogram_add(&other, 7000));
	short_memory_begin(1);
	assert_false(sprof_histogram_add(&histogram, 7));
	assert_true(short_memory_end());
	assert_int_equal(histogram.count, 0);
	short_memory_begin(2);
	assert_false(sprof_histogram_merge(&histogram, &other));
	assert_true(short_memory_end());
	assert_int_equal(histogram.count, 0);
	assert_int_equal(sprof_histogram_quantile(&histogram, 1), 0);
	assert_true(sprof_histogram_merge(&histogram, &other));
	assert_int_equal(histogram.count, 2);
	sprof_histogram_finish(&histogram);
	sprof_histogram_finish(&other);
}

TEST_MAIN("histogram")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uniform_values),
		cmocka_unit_test(exponential_values),
		cmocka_unit_test(two_peaks),
		cmocka_unit_test(constant_values),
		cmocka_unit_test(one_value_at_each_power_of_two),
		cmocka_unit_test(every_octave_is_within_one_percent),
		cmocka_unit_test(an_empty_one_has_no_value),
		cmocka_unit_test(a_total_that_does_not_fit_stays_at_the_end),
		cmocka_unit_test(merging_equals_adding),
		cmocka_unit_test(scaled_values_count_more_or_less_often),
		cmocka_unit_test(a_reset_forgets_the_values),
		cmocka_unit_test(without_memory_nothing_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
