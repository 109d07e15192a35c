/*
 * sampler/pauses: the histogram's quantiles against the sorted times themselves.
 */
#include "sampler/stop/pauses.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/check.h"

static const double fractions[] = {0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};

enum { FRACTIONS = sizeof(fractions) / sizeof(fractions[0]) };

static uint64_t next_random(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random;
}

static int compare(const void *left, const void *right)
{
	uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

/* The header's definition: this many of the sorted times must not exceed the quantile. */
static uint64_t true_quantile(const uint64_t *sorted, size_t count, double fraction)
{
	size_t wanted = (size_t)ceil(fraction * (double)count);

	return sorted[wanted ? wanted - 1 : 0];
}

/* Never below the true quantile, and at most one step of the histogram above it. */
static void expect_quantiles(uint64_t *times, size_t count)
{
	struct sprof_pauses *pauses = calloc(1, sizeof(*pauses));
	uint64_t total = 0;

	assert_non_null(pauses);
	for (size_t i = 0; i < count; i++) {
		sprof_pauses_add(pauses, times[i]);
		total += times[i];
	}
	qsort(times, count, sizeof(*times), compare);
	assert_int_equal(pauses->count, count);
	assert_true(pauses->total == total);
	assert_true(pauses->max == times[count - 1]);
	for (int i = 0; i < FRACTIONS; i++) {
		uint64_t truth = true_quantile(times, count, fractions[i]);
		uint64_t found = sprof_pauses_quantile(pauses, fractions[i]);

		assert_true(found >= truth);
		assert_true(found - truth <= truth / SPROF_PAUSE_STEPS);
	}
	assert_true(sprof_pauses_quantile(pauses, 1) == times[count - 1]);
	free(pauses);
}

static void no_pauses(void **state)
{
	static const struct sprof_pauses none;

	for (int i = 0; i < FRACTIONS; i++)
		assert_int_equal(sprof_pauses_quantile(&none, fractions[i]), 0);
}

static void one_pause_is_every_quantile(void **state)
{
	static const uint64_t some[] = {
		0, 1, 31, 32, 33, 63, 64, 1000, 123456789, UINT64_MAX - 1, UINT64_MAX};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		uint64_t time = some[i];

		expect_quantiles(&time, 1);
	}
}

/* Around every power of two, where the steps change. */
static void the_edges_of_the_steps(void **state)
{
	for (unsigned shift = 0; shift < 64; shift++) {
		uint64_t power = (uint64_t)1 << shift;
		uint64_t times[] = {power - 1, power, power + 1, power + power / 2};

		expect_quantiles(times, 4);
	}
}

static void small_times_are_exact(void **state)
{
	struct sprof_pauses *pauses = calloc(1, sizeof(*pauses));

	assert_non_null(pauses);
	for (uint64_t i = 1; i <= 50; i++)
		sprof_pauses_add(pauses, i);
	assert_int_equal(sprof_pauses_quantile(pauses, 0.5), 25);
	assert_int_equal(sprof_pauses_quantile(pauses, 0.02), 1);
	assert_int_equal(sprof_pauses_quantile(pauses, 0.021), 2);
	free(pauses);
}

/* For every count, because most quantiles fall between two ranks. */
static void any_number_of_pauses(void **state)
{
	uint64_t random = 11, times[300];

	for (size_t count = 1; count <= 300; count++) {
		for (size_t i = 0; i < count; i++)
			times[i] = next_random(&random) >> 40;
		expect_quantiles(times, count);
	}
}

static void pauses_of_all_magnitudes(void **state)
{
	enum { COUNT = 20000 };
	uint64_t random = 3, *times = calloc(COUNT, sizeof(*times));

	assert_non_null(times);
	for (size_t i = 0; i < COUNT; i++)
		times[i] = next_random(&random) >> (next_random(&random) >> 58);
	expect_quantiles(times, COUNT);
	free(times);
}

TEST_MAIN("pauses")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_pauses),
		cmocka_unit_test(one_pause_is_every_quantile),
		cmocka_unit_test(the_edges_of_the_steps),
		cmocka_unit_test(small_times_are_exact),
		cmocka_unit_test(any_number_of_pauses),
		cmocka_unit_test(pauses_of_all_magnitudes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
