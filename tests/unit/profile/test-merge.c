/*
 * profile/merge, filter, diff and build: what is copied is whole, and what can't be added is refused.
 */
#include "profile/edit/merge.h"

#include <string.h>

#include "base/clock.h"
#include "profile/compare/diff.h"
#include "profile/edit/filter.h"
#include "profile/model/build.h"
#include "profile/views/view.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static struct sprof_profile *merged(const struct sprof_profile *a, const struct sprof_profile *b)
{
	struct sprof_profile *sum = sprof_build_create();
	struct sprof_error err;

	assert_non_null(sum);
	assert_true(sprof_profile_merge(sum, a, &err));
	if (b)
		assert_true(sprof_profile_merge(sum, b, &err));
	return sum;
}

static uint64_t whole_samples(const struct sprof_profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		sum += profile->rows[i].metrics.samples;
	return sum;
}

static void equal_threads_and_stacks_are_one(void **state)
{
	struct sprof_profile *a = example_worked(), *b = example_worked();
	struct sprof_profile *sum = merged(a, b);

	assert_int_equal(sum->thread_count, 1);
	assert_int_equal(sum->row_count, a->row_count);
	assert_int_equal(sum->function_count, a->function_count);
	assert_int_equal(whole_samples(sum), 34);
	assert_int_equal(sum->threads[0].samples, 34);
	assert_string_equal(sum->command, "./example");
	sprof_profile_destroy(a);
	sprof_profile_destroy(b);
	sprof_profile_destroy(sum);
}

static void ranks_and_hosts_stay_apart(void **state)
{
	static const char *const ranks[] = {"0", "1", NULL};
	struct sprof_profile *sum = sprof_build_create();
	uint32_t thread;

	for (size_t i = 0; i < 3; i++) {
		const struct sprof_build_thread one = {
			.pid = 7, .tid = 7, .name = "t", .host = "h", .rank = ranks[i]};

		assert_true(sprof_build_thread(sum, &one, &thread));
		assert_int_equal(thread, i);
		assert_true(sprof_build_thread(sum, &one, &thread));
		assert_int_equal(thread, i);
	}
	assert_int_equal(sum->process_count, 3);
	assert_string_equal(sum->processes[1].rank, "1");
	assert_null(sum->processes[2].rank);
	sprof_profile_destroy(sum);
}

/* One second of a process, from so many seconds on. */
static struct sprof_profile *second_from(uint64_t start_s, uint64_t duration_s)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_quality quality = {
		.duration_ns = duration_s * SPROF_NS_PER_S, .processes_seen = 1, .threads_seen = 1};

	sprof_profile_set_quality(profile, &quality);
	assert_true(sprof_profile_describe(profile, "example", start_s * SPROF_NS_PER_S));
	return profile;
}

static void assert_duration(const uint64_t starts[3], const uint64_t durations[3], uint64_t seconds)
{
	struct sprof_profile *sum = sprof_build_create();
	struct sprof_error err = {0};

	for (size_t i = 0; i < 3; i++) {
		struct sprof_profile *part = second_from(starts[i], durations[i]);

		assert_true(sprof_profile_merge(sum, part, &err));
		sprof_profile_destroy(part);
	}
	assert_int_equal(sum->quality.duration_ns, seconds * SPROF_NS_PER_S);
	/* The same process and thread each time. */
	assert_int_equal(sum->quality.processes_seen, 1);
	assert_int_equal(sum->quality.threads_seen, 1);
	sprof_profile_destroy(sum);
}

/* Periods of one process add up, ranks of a job that ran beside each other don't. */
static void durations_add_up_where_they_follow_each_other(void **state)
{
	assert_duration((uint64_t[]){100, 101, 102}, (uint64_t[]){1, 1, 1}, 3);
	assert_duration((uint64_t[]){200, 100, 300}, (uint64_t[]){2, 2, 2}, 6);
	assert_duration((uint64_t[]){100, 100, 101}, (uint64_t[]){5, 4, 3}, 5);
}

static void different_kinds_are_refused(void **state)
{
	struct sprof_profile *a = example_worked(), *b = example_worked();
	struct sprof_profile *sum = merged(a, NULL);
	struct sprof_error err = {0};

	b->kinds.further_count = 1;
	b->kinds.further[0] = (struct sprof_kind){.name = "space", .unit = "bytes"};
	assert_false(sprof_profile_merge(sum, b, &err));
	assert_non_null(strstr(err.message, "different things"));
	assert_non_null(strstr(err.message, "space/bytes"));
	b->kinds.further_count = 0;
	sprof_profile_destroy(a);
	sprof_profile_destroy(b);
	sprof_profile_destroy(sum);
}

static struct sprof_profile *filtered(const struct sprof_filter *filter)
{
	struct sprof_profile *whole = example_worked(), *part;
	struct sprof_error err;

	assert_true(sprof_profile_filter(whole, filter, &part, &err));
	sprof_profile_destroy(whole);
	return part;
}

static void filters_judge_stacks(void **state)
{
	static const struct {
		struct sprof_filter filter;
		uint64_t samples;
	} cases[] = {
		{{.focus.function = "^b$"}, 12},
		{{.ignore.function = "^b$"}, 5},
		{{.focus.function = "c", .ignore.function = "b"}, 2},
		{{.hide.function = "^(a|b)$"}, 17},
		{{.thread = "exam"}, 17},
		{{.thread = "101"}, 17},
		{{.pid = 100}, 17},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_profile *part = filtered(&cases[i].filter);

		assert_int_equal(whole_samples(part), cases[i].samples);
		sprof_profile_destroy(part);
	}
}

static void what_leaves_nothing_says_what_there_is(void **state)
{
	static const struct {
		struct sprof_filter filter;
		const char *message, *hint;
	} cases[] = {
		{{.thread = "102"}, "no thread matches --thread 102", "the threads are: example"},
		{{.pid = 99}, "there is no process 99", "the processes are: 100 example"},
		{{.focus.function = "nowhere"}, "no function matches --focus nowhere",
			"c, b, a, main"},
		{{.label = "rank=1"}, "no sample has a label that matches --label rank=1",
			"labels"},
		/* of no known state */
		{{.states = 1u << SPROF_STATE_USER}, "no sample is left", ""},
	};
	struct sprof_profile *whole = example_worked(), *part;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_error err = {0};

		assert_false(sprof_profile_filter(whole, &cases[i].filter, &part, &err));
		assert_int_equal(err.kind, SPROF_ERROR_NOT_FOUND);
		assert_non_null(strstr(err.message, cases[i].message));
		assert_non_null(strstr(err.hint, cases[i].hint));
	}
	sprof_profile_destroy(whole);
}

static void hiding_everything_leaves_a_frame(void **state)
{
	struct sprof_profile *part = filtered(&(struct sprof_filter){.hide.function = "."});

	assert_int_equal(whole_samples(part), 17);
	assert_int_equal(part->function_count, 1);
	assert_string_equal(part->functions[0].name, "[hidden]");
	sprof_profile_destroy(part);
}

static void bad_patterns_are_refused(void **state)
{
	static const struct sprof_filter filters[] = {{.focus.function = "("},
		{.ignore.function = "*["}, {.hide.function = "("}, {.thread = "("}};
	struct sprof_profile *whole = example_worked(), *part;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct sprof_error err = {0};

		assert_false(sprof_profile_filter(whole, &filters[i], &part, &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	}
	sprof_profile_destroy(whole);
}

static void a_joined_profile_keeps_its_sides(void **state)
{
	struct sprof_profile *a = example_worked(), *b = example_worked(), *joined;
	const struct sprof_metrics more = {.samples = 17};
	struct sprof_diff diff;
	struct sprof_error err;
	uint32_t base_threads;

	example_add(b, 0, "main;a;c", &more);
	assert_true(sprof_profile_join((const struct sprof_profile *const[]){a, b},
		(const size_t[SPROF_SIDES]){1, 1}, &joined, &base_threads, &err));
	assert_int_equal(base_threads, 1);
	assert_int_equal(joined->thread_count, 2);
	assert_true(
		sprof_diff_build(joined, base_threads, SPROF_WEIGHT_SAMPLES, true, &diff, &err));
	assert_int_equal(diff.whole[SPROF_SIDE_BASE], 17);
	assert_int_equal(diff.whole[SPROF_SIDE_NEW], 34);
	assert_string_equal(joined->functions[diff.rows[0].function].name, "c");
	assert_int_equal((int)sprof_diff_of(&diff, diff.rows[0].self), 17);
	assert_int_equal((int)sprof_diff_of(&diff, diff.rows[1].self), 0);
	sprof_diff_finish(&diff);
	assert_true(
		sprof_diff_build(joined, base_threads, SPROF_WEIGHT_SAMPLES, false, &diff, &err));
	assert_int_equal((int)sprof_diff_of(&diff, diff.rows[0].self), 27 - 20);
	sprof_diff_finish(&diff);
	sprof_profile_destroy(a);
	sprof_profile_destroy(b);
	sprof_profile_destroy(joined);
}

TEST_MAIN("merge")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_threads_and_stacks_are_one),
		cmocka_unit_test(ranks_and_hosts_stay_apart),
		cmocka_unit_test(durations_add_up_where_they_follow_each_other),
		cmocka_unit_test(different_kinds_are_refused),
		cmocka_unit_test(filters_judge_stacks),
		cmocka_unit_test(what_leaves_nothing_says_what_there_is),
		cmocka_unit_test(hiding_everything_leaves_a_frame),
		cmocka_unit_test(bad_patterns_are_refused),
		cmocka_unit_test(a_joined_profile_keeps_its_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
