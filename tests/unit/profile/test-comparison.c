/* profile/comparison: which function is the cause, and what chance alone may do. */
#include "profile/compare/comparison.h"

#include <string.h>

#include "base/clock.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static struct sprof_profile *join(struct sprof_profile *const runs[],
	const size_t counts[SPROF_SIDES], uint32_t *ret_base_threads)
{
	struct sprof_profile *joined;
	struct sprof_error err;

	assert_true(sprof_profile_join((const struct sprof_profile *const *)runs, counts, &joined,
		ret_base_threads, &err));
	for (size_t i = 0; i < counts[SPROF_SIDE_BASE] + counts[SPROF_SIDE_NEW]; i++)
		sprof_profile_destroy(runs[i]);
	return joined;
}

static struct sprof_profile *with_more(const char *stack, uint64_t samples)
{
	const struct sprof_metrics more = {.samples = samples};
	struct sprof_profile *profile = example_worked();

	if (samples)
		example_add(profile, 0, stack, &more);
	return profile;
}

static const struct sprof_comparison_row *row_of(const struct sprof_profile *joined,
	const struct sprof_comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const struct sprof_comparison_row *row = &comparison->rows[i];

		if (row->function != SPROF_PROFILE_NONE &&
			strcmp(joined->functions[row->function].name, name) == 0)
			return row;
	}
	fail_msg("no row of %s", name);
	return NULL;
}

static void one_run_of_each(void **state)
{
	struct sprof_profile *runs[] = {with_more("main;a;c", 0), with_more("main;a;c;d", 100)};
	struct sprof_comparison comparison;
	struct sprof_profile *joined;
	const struct sprof_comparison_row *row;
	struct sprof_error err;
	uint32_t base_threads;

	joined = join(runs, (const size_t[]){1, 1}, &base_threads);
	assert_true(sprof_comparison_build(
		joined, base_threads, SPROF_WEIGHT_SAMPLES, &comparison, &err));
	row = &comparison.rows[comparison.cause];
	assert_string_equal(joined->functions[row->function].name, "d");
	assert_int_equal(row->presence, SPROF_PRESENT_NEW);
	assert_true(row->is_sure);
	assert_int_equal((int)sprof_comparison_change(row), 100);
	assert_int_equal((int)comparison.whole[SPROF_SIDE_BASE].median, 17);
	assert_int_equal((int)comparison.whole[SPROF_SIDE_NEW].median, 117);
	assert_false(comparison.is_sure);
	row = row_of(joined, &comparison, "c");
	assert_false(row->is_sure);
	assert_int_equal(row->presence, SPROF_PRESENT_BOTH);
	sprof_comparison_finish(&comparison);
	sprof_profile_destroy(joined);
}

static void a_comparison_is_about_the_new_program(void **state)
{
	struct sprof_profile *runs[] = {
		with_more("main", 1), with_more("main", 2), with_more("main", 3)};
	struct sprof_profile *joined;
	uint32_t base_threads;

	assert_true(sprof_profile_describe(runs[0], "./old", 5));
	assert_true(sprof_profile_describe(runs[1], "./new", 9));
	assert_true(sprof_profile_describe(runs[2], "./new", 8));
	joined = join(runs, (const size_t[]){1, 2}, &base_threads);
	assert_string_equal(joined->command, "./new");
	assert_int_equal(joined->start_realtime_ns, 8);
	sprof_profile_destroy(joined);
}

/* Four runs of each in no common order are chance in two of seventy orders. */
static void several_runs(void **state)
{
	static const struct {
		uint64_t more[8];
		bool is_sure;
	} rows[] = {
		{{1, 3, 2, 4, 15, 11, 12, 13}, true},
		{{1, 3, 2, 12, 15, 11, 14, 13}, false},
		{{5, 5, 5, 5, 5, 5, 5, 5}, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sprof_profile *runs[8], *joined;
		struct sprof_comparison comparison;
		const struct sprof_comparison_row *row;
		struct sprof_error err;
		uint32_t base_threads;

		for (size_t k = 0; k < 8; k++)
			runs[k] = with_more("main;a;c", rows[i].more[k]);
		joined = join(runs, (const size_t[]){4, 4}, &base_threads);
		assert_true(sprof_comparison_build(
			joined, base_threads, SPROF_WEIGHT_SAMPLES, &comparison, &err));
		row = row_of(joined, &comparison, "c");
		assert_int_equal(comparison.runs[SPROF_SIDE_BASE], 4);
		assert_int_equal(comparison.runs[SPROF_SIDE_NEW], 4);
		assert_int_equal(row->is_sure, rows[i].is_sure);
		assert_int_equal(comparison.is_sure, rows[i].is_sure);
		if (i == 0) {
			assert_int_equal((int)(2 * comparison.whole[SPROF_SIDE_BASE].median), 39);
			assert_int_equal((int)comparison.whole[SPROF_SIDE_BASE].low, 18);
			assert_int_equal((int)comparison.whole[SPROF_SIDE_NEW].high, 32);
		}
		sprof_comparison_finish(&comparison);
		sprof_profile_destroy(joined);
	}
}

/* Three of each are in this order by chance in two of twenty orders. */
static void few_runs(void **state)
{
	struct sprof_profile *runs[6], *joined;
	struct sprof_comparison comparison;
	const struct sprof_comparison_row *row;
	struct sprof_error err;
	uint32_t base_threads;

	for (size_t i = 0; i < 6; i++)
		runs[i] = with_more("main;a;c", i < 3 ? i : 10 + i);
	joined = join(runs, (const size_t[]){3, 3}, &base_threads);
	assert_true(sprof_comparison_build(
		joined, base_threads, SPROF_WEIGHT_SAMPLES, &comparison, &err));
	row = row_of(joined, &comparison, "c");
	assert_true(comparison.are_few);
	assert_false(comparison.is_sure);
	assert_false(row->is_sure);
	assert_true(row->is_likely);
	sprof_comparison_finish(&comparison);
	sprof_profile_destroy(joined);
}

/* A second more of the same number of samples: on a CPU, or waiting for one. */
static void waiting_for_a_cpu_is_the_machines(void **state)
{
	for (int i = 0; i < 2; i++) {
		const uint64_t second = SPROF_NS_PER_S;
		const struct sprof_metrics few = {
			.samples = 100, .times.ns[SPROF_TIME_USER] = second};
		const struct sprof_metrics more = {.samples = 200,
			.times.ns = {[SPROF_TIME_USER] = i ? second : 2 * second,
				[SPROF_TIME_RUNQ] = i ? second : 0}};
		struct sprof_profile *runs[] = {example_worked(), example_worked()}, *joined;
		struct sprof_comparison comparison;
		struct sprof_error err;
		uint32_t base_threads;

		example_add(runs[0], 0, "main;a;c", &few);
		example_add(runs[1], 0, "main;a;c", &more);
		joined = join(runs, (const size_t[]){1, 1}, &base_threads);
		assert_true(sprof_comparison_build(
			joined, base_threads, SPROF_WEIGHT_WALL, &comparison, &err));
		assert_int_equal(row_of(joined, &comparison, "c")->is_sure, !i);
		sprof_comparison_finish(&comparison);
		sprof_profile_destroy(joined);
	}
}

/* A tenth of a second more, of many samples that have stood in the queue: so much of it is a few ticks. */
static void samples_in_the_queue_say_little_of_the_rest(void **state)
{
	for (int i = 0; i < 2; i++) {
		const struct sprof_metrics more = {.samples = 1000,
			.times.ns = {[SPROF_TIME_USER] = SPROF_NS_PER_S / 10,
				[SPROF_TIME_RUNQ] = 9ull * SPROF_NS_PER_S}};
		struct sprof_profile *runs[] = {example_worked(), example_worked()}, *joined;
		struct sprof_comparison comparison;
		struct sprof_error err;
		uint32_t base_threads;

		for (size_t k = 0; k < 2; k++)
			runs[k]->quality.rate_hz = i ? 1000 : 50;
		example_add(runs[1], 0, "main;a;c", &more);
		joined = join(runs, (const size_t[]){1, 1}, &base_threads);
		assert_true(sprof_comparison_build(
			joined, base_threads, SPROF_WEIGHT_USER, &comparison, &err));
		assert_int_equal(row_of(joined, &comparison, "c")->is_sure, i);
		sprof_comparison_finish(&comparison);
		sprof_profile_destroy(joined);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* A run of 400 samples in 20 functions, chosen at random: a third in the first one, few in the last. */
static struct sprof_profile *run_by_chance(uint64_t *random)
{
	const struct sprof_metrics tick = {.samples = 1, .times.ns[SPROF_TIME_USER] = 10000000};
	struct sprof_profile *profile = sprof_build_create();
	char stack[] = "main;a";

	profile->quality.rate_hz = 100;
	example_thread(profile, "main");
	for (int i = 0; i < 400; i++) {
		uint64_t draw = next_random(random) % 210;

		for (stack[5] = 'a'; draw >= (uint64_t)('u' - stack[5]); stack[5]++)
			draw -= (uint64_t)('u' - stack[5]);
		example_add(profile, 0, stack, &tick);
	}
	return profile;
}

/* No function of a program has changed in another run of it: 3000 pairs of runs of 20 functions. */
static void a_program_is_like_itself(void **state)
{
	uint64_t random = 44;

	for (int pair = 0; pair < 3000; pair++) {
		struct sprof_profile *runs[] = {run_by_chance(&random), run_by_chance(&random)};
		struct sprof_comparison comparison;
		struct sprof_profile *joined;
		struct sprof_error err;
		uint32_t base_threads;

		joined = join(runs, (const size_t[]){1, 1}, &base_threads);
		assert_true(sprof_comparison_build(
			joined, base_threads, SPROF_WEIGHT_USER, &comparison, &err));
		for (size_t i = 0; i < comparison.count; i++)
			assert_false(comparison.rows[i].is_sure);
		sprof_comparison_finish(&comparison);
		sprof_profile_destroy(joined);
	}
}

/* A function that takes twice the time is found by 40 samples before and 80 after. */
static void twice_the_time_is_a_change(void **state)
{
	const uint64_t ms = SPROF_NS_PER_MS;
	struct sprof_profile *runs[2], *joined;
	struct sprof_comparison comparison;
	struct sprof_error err;
	uint32_t base_threads;

	for (uint64_t i = 0; i < 2; i++) {
		const struct sprof_metrics same = {
			.samples = 40, .times.ns[SPROF_TIME_USER] = 400 * ms};
		const struct sprof_metrics changed = {
			.samples = 40 << i, .times.ns[SPROF_TIME_USER] = (400 * ms) << i};

		runs[i] = sprof_build_create();
		runs[i]->quality.rate_hz = 100;
		example_thread(runs[i], "main");
		example_add(runs[i], 0, "main;same", &same);
		example_add(runs[i], 0, "main;changed", &changed);
	}
	joined = join(runs, (const size_t[]){1, 1}, &base_threads);
	assert_true(
		sprof_comparison_build(joined, base_threads, SPROF_WEIGHT_WALL, &comparison, &err));
	assert_true(row_of(joined, &comparison, "changed")->is_sure);
	assert_false(row_of(joined, &comparison, "same")->is_sure);
	sprof_comparison_finish(&comparison);
	sprof_profile_destroy(joined);
}

static void wait_for_a_semaphore(
	struct sprof_profile *profile, const char *folded, uint64_t wait_ms, uint64_t user_ms)
{
	static const struct sprof_profile_context semaphore = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_LOCK,
		.syscall = "futex",
		.object = "semaphore"};
	struct sprof_profile_row row = {.thread = example_thread(profile, "worker")};
	const struct sprof_metrics work = {
		.samples = user_ms / 10, .times.ns[SPROF_TIME_USER] = user_ms * SPROF_NS_PER_MS};

	row.stack = example_stack(profile, folded);
	assert_true(sprof_build_context(profile, &semaphore, &row.context));
	row.metrics.samples = wait_ms / 10;
	row.metrics.times.ns[SPROF_TIME_SLEEP] = wait_ms * SPROF_NS_PER_MS;
	assert_true(sprof_build_row(profile, &row, NULL));
	example_add(profile, row.thread, "main;work", &work);
}

/* A worker waits for longer; in one run it does nothing else, in the other it works, too. */
static void waits_are_not_judged_by_one_run(void **state)
{
	for (uint64_t work_ms = 0; work_ms <= 1000; work_ms += 1000) {
		struct sprof_profile *runs[] = {sprof_build_create(), sprof_build_create()},
				     *joined;
		struct sprof_comparison comparison;
		struct sprof_error err;
		uint32_t base_threads;

		wait_for_a_semaphore(runs[0], "main;take", 2000, work_ms);
		wait_for_a_semaphore(runs[1], "main;take", 9000, 1000);
		joined = join(runs, (const size_t[]){1, 1}, &base_threads);
		assert_true(sprof_comparison_build(
			joined, base_threads, SPROF_WEIGHT_WALL, &comparison, &err));
		for (size_t i = 0; i < comparison.count && work_ms; i++)
			assert_false(comparison.rows[i].is_sure);
		if (!work_ms) {
			assert_int_equal(comparison.rows[0].function, SPROF_PROFILE_NONE);
			assert_false(comparison.rows[0].is_queue);
			assert_int_equal((int)(comparison.rows[0].sides[1].median / 1e9), 9);
		}
		sprof_comparison_finish(&comparison);
		sprof_profile_destroy(joined);
	}
}

TEST_MAIN("comparison")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_of_each),
		cmocka_unit_test(a_comparison_is_about_the_new_program),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(few_runs),
		cmocka_unit_test(waiting_for_a_cpu_is_the_machines),
		cmocka_unit_test(samples_in_the_queue_say_little_of_the_rest),
		cmocka_unit_test(a_program_is_like_itself),
		cmocka_unit_test(twice_the_time_is_a_change),
		cmocka_unit_test(waits_are_not_judged_by_one_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
