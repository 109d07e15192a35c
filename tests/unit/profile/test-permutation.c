/*
 * profile/permutation: intervals by hand, against tests of every assignment, and their two rates over
 * simulated runs: false alarms on equal programs, and what is found of a slowdown.
 */
#include "profile/compare/permutation.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/check.h"

enum { RUNS_MAX = 16 };

static const double level = 0.05;

/* xorshift64* (Vigna, 2016): the same runs each time. */
static double uniform(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return ((double)(*state * 2685821657736338717u >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

/* How programs and machines vary from run to run. */
struct machine {
	double noise;    /* standard deviation of the logarithm of a run's time */
	double outliers; /* share of the runs that something else has slowed, by up to a half */
	double samples; /* in a run: their number varies too; 0: the time doesn't come of samples */
};

static double run_of(const struct machine *machine, double mean, uint64_t *state)
{
	double time = mean * exp(machine->noise * normal(state));

	if (uniform(state) < machine->outliers)
		time *= 1 + 0.5 * uniform(state);
	if (machine->samples > 0)
		time *= 1 + normal(state) / sqrt(machine->samples);
	return time > 0 ? time : 0;
}

static struct sprof_change change_of(const double *before, size_t before_count, const double *after,
	size_t after_count, bool relative, double at)
{
	const struct sprof_runs sides[SPROF_SIDES] = {{before, before_count}, {after, after_count}};
	struct sprof_change change;
	struct sprof_error err;

	assert_true(sprof_permutation_change(sides, relative, at, &change, &err));
	return change;
}

static void an_interval_by_hand(void **state)
{
	static const double before[] = {1, 2}, after[] = {5, 9};
	/* What can be moved: 5-1, 5-2, 9-1, 9-2, 7-1.5; with that found, 6 assignments. */
	struct sprof_change change = change_of(before, 2, after, 2, false, 1 / 6.0);

	assert_true(sprof_permutation_count(2, 2) == 6);
	assert_true(change.means[SPROF_SIDE_BASE] == 1.5 && change.means[SPROF_SIDE_NEW] == 7);
	assert_true(change.change == 5.5 && change.low == 3 && change.high == 8);
	change = change_of(before, 2, after, 2, false, 2 / 6.0);
	assert_true(change.low == 4 && change.high == 7);
	/* 5/1, 5/2, 9/1, 9/2, 14/3 */
	change = change_of(before, 2, after, 2, true, 1 / 6.0);
	assert_true(change.low == 1.5 && change.high == 8);
	assert_true(fabs(change.change - (14 / 3.0 - 1)) < 1e-12);
	/* Less than one assignment tells nothing. */
	change = change_of(before, 2, after, 2, true, 0.1);
	assert_true(change.low == -1 && isinf(change.high));
}

/*
 * The share of the assignments that give at least the difference of the runs as they are: the test
 * itself, over all sets of runs as the bits of a number.
 */
static double share_of_assignments(const double *runs, unsigned before, unsigned after)
{
	const unsigned found = ((1u << after) - 1) << before;
	double sum = 0, found_sum = 0;
	unsigned all = 0, as_large = 0;

	for (unsigned i = 0; i < before + after; i++)
		found_sum += found & 1u << i ? runs[i] : 0;
	for (unsigned set = 0; set < 1u << (before + after); set++) {
		if ((unsigned)__builtin_popcount(set) != after)
			continue;
		sum = 0;
		for (unsigned i = 0; i < before + after; i++)
			sum += set & 1u << i ? runs[i] : 0;
		all++;
		as_large += sum >= found_sum - 1e-12;
	}
	return as_large / (double)all;
}

static double share_if(const double *before, const double *after, unsigned count, double factor)
{
	double runs[RUNS_MAX];

	for (unsigned i = 0; i < count; i++) {
		runs[i] = before[i];
		runs[count + i] = after[i] / factor;
	}
	return share_of_assignments(runs, count, count);
}

static void the_low_end_is_where_the_test_begins_to_reject(void **state)
{
	static const struct machine machine = {.noise = 0.1};
	uint64_t random = 1;

	for (int round = 0; round < 50; round++) {
		double before[5], after[5];
		struct sprof_change change;

		for (int i = 0; i < 5; i++) {
			before[i] = run_of(&machine, 1, &random);
			after[i] = run_of(&machine, 1.2, &random);
		}
		change = change_of(before, 5, after, 5, true, level);
		assert_true(change.low <= change.change && change.change <= change.high);
		assert_true(share_if(before, after, 5, 1 + change.low - 1e-6) <= level);
		assert_true(share_if(before, after, 5, 1 + change.low + 1e-6) > level);
	}
}

static void runs_without_the_function(void **state)
{
	static const double nothing[5] = {0}, some[] = {3, 4, 5, 4, 3}, one[] = {0, 0, 7, 0, 0};
	struct sprof_change change = change_of(nothing, 5, nothing, 5, true, level);

	assert_true(change.change == 0 && change.low == 0 && change.high == 0);
	change = change_of(nothing, 5, some, 5, true, level);
	assert_true(isinf(change.change) && isinf(change.low) && isinf(change.high));
	change = change_of(some, 5, nothing, 5, true, level);
	assert_true(change.change == -1 && change.low == -1 && change.high == -1);
	change = change_of(nothing, 5, one, 5, true, level);
	assert_true(isinf(change.change) && change.low == -1 && isinf(change.high));
	change = change_of(nothing, 5, some, 5, false, level);
	assert_true(change.change == 3.8 && change.low >= 3 && change.high <= 5);
}

static void equal_runs_differ_by_nothing(void **state)
{
	static const double same[] = {4, 4, 4, 4, 4};
	struct sprof_change change = change_of(same, 5, same, 5, true, level);

	assert_true(change.change == 0 && change.low == 0 && change.high == 0);
}

/* Of `rounds` comparisons of `count` runs a side, the share whose interval is above the limit. */
struct simulation {
	const char *what;
	const struct machine *machine;
	size_t before, after;
	unsigned rounds;
	double growth, limit;
};

static double share_of_alarms(const struct simulation *simulation)
{
	double before[RUNS_MAX], after[RUNS_MAX];
	uint64_t random = 20;
	unsigned alarms = 0;

	for (unsigned round = 0; round < simulation->rounds; round++) {
		for (size_t i = 0; i < simulation->before; i++)
			before[i] = run_of(simulation->machine, 1, &random);
		for (size_t i = 0; i < simulation->after; i++)
			after[i] = run_of(simulation->machine, 1 + simulation->growth, &random);
		alarms +=
			change_of(before, simulation->before, after, simulation->after, true, level)
				.low > simulation->limit;
	}
	printf("%s: %u of %u, %.1f%%\n", simulation->what, alarms, simulation->rounds,
		100.0 * alarms / simulation->rounds);
	return alarms / (double)simulation->rounds;
}

/* What is counted of so many comparisons may be above the rate by chance: by two standard errors. */
static double most_of(unsigned rounds)
{
	return level + 2 * sqrt(level * (1 - level) / rounds);
}

static void false_alarms_are_at_most_the_level(void **state)
{
	static const struct machine usual = {0.02, 0.1, 400}, wild = {0.3, 0.2, 20},
				    none = {.noise = 0.01};
	static const struct simulation simulations[] = {
		{"equal programs, 5 against 5, limit 0", &usual, 5, 5, 200, 0, 0},
		{"equal programs, 5 against 5, limit 5%", &usual, 5, 5, 200, 0, 0.05},
		{"equal programs, 5 against 5, limit 0, many", &usual, 5, 5, 2000, 0, 0},
		{"equal programs, 6 against 8, limit 0", &usual, 6, 8, 6000, 0, 0},
		{"equal programs, 5 against 5, limit 0, wild", &wild, 5, 5, 2000, 0, 0},
		{"5% slower, limit 5%", &usual, 5, 5, 2000, 0.05, 0.05},
		{"5% slower, limit 5%, quiet", &none, 5, 5, 2000, 0.05, 0.05},
	};

	for (size_t i = 0; i < sizeof(simulations) / sizeof(simulations[0]); i++)
		assert_true(share_of_alarms(&simulations[i]) <= most_of(simulations[i].rounds));
}

static void a_slowdown_is_found(void **state)
{
	static const struct machine quiet = {.noise = 0.01}, usual = {.noise = 0.02};
	static const struct simulation simulations[] = {
		{"5% slower, 1% noise, 5 against 5, limit 0", &quiet, 5, 5, 200, 0.05, 0},
		{"5% slower, 1% noise, 5 against 5, limit 2%", &quiet, 5, 5, 200, 0.05, 0.02},
		{"5% slower, 2% noise, 5 against 5, limit 0", &usual, 5, 5, 200, 0.05, 0},
		{"5% slower, 2% noise, 8 against 8, limit 2%", &usual, 8, 8, 200, 0.05, 0.02},
	};
	static const double least[] = {0.99, 0.95, 0.9, 0.8};

	for (size_t i = 0; i < sizeof(simulations) / sizeof(simulations[0]); i++)
		assert_true(share_of_alarms(&simulations[i]) >= least[i]);
}

static void of_many_runs_some_assignments_are_drawn(void **state)
{
	static const struct machine machine = {.noise = 0.02};
	const struct simulation equal = {
		"equal programs, 12 against 12, limit 0", &machine, 12, 12, 6, 0, 0};
	const struct simulation slower = {
		"5% slower, 2% noise, 12 against 12, limit 2%", &machine, 12, 12, 5, 0.05, 0.02};
	double before[RUNS_MAX], after[RUNS_MAX];
	struct sprof_change first, second;
	uint64_t random = 3;

	assert_true(sprof_permutation_count(10, 10) == 184756);
	assert_true(sprof_permutation_count(12, 12) == 100000);
	assert_true(share_of_alarms(&equal) <= most_of(equal.rounds));
	assert_true(share_of_alarms(&slower) >= 0.9);
	for (int i = 0; i < RUNS_MAX; i++) {
		before[i] = run_of(&machine, 1, &random);
		after[i] = run_of(&machine, 1, &random);
	}
	first = change_of(before, RUNS_MAX, after, RUNS_MAX, true, level);
	second = change_of(before, RUNS_MAX, after, RUNS_MAX, true, level);
	assert_true(first.low == second.low && first.high == second.high);
}

TEST_MAIN("permutation")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_by_hand),
		cmocka_unit_test(the_low_end_is_where_the_test_begins_to_reject),
		cmocka_unit_test(runs_without_the_function),
		cmocka_unit_test(equal_runs_differ_by_nothing),
		cmocka_unit_test(false_alarms_are_at_most_the_level),
		cmocka_unit_test(a_slowdown_is_found),
		cmocka_unit_test(of_many_runs_some_assignments_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
