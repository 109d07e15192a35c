/*
 * output/folded: the traps that real readers fall into without a word.
 */
#include "output/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/example.h"

static char *folded(const struct sprof_profile *profile, enum sprof_weight weight, bool threads)
{
	struct sprof_output_options options = {.weight = weight, .threads = threads};

	return written_by(&sprof_format_folded, profile, &options);
}

static struct sprof_metrics wall_ns(uint64_t ns)
{
	return (struct sprof_metrics){.samples = 1, .times.ns[SPROF_TIME_SLEEP] = ns};
}

static void the_example(void **state)
{
	struct sprof_profile *profile = example_worked();
	SPROF_AUTO_FREE char *samples = folded(profile, SPROF_WEIGHT_SAMPLES, false);
	SPROF_AUTO_FREE char *wall = folded(profile, SPROF_WEIGHT_WALL, false);
	SPROF_AUTO_FREE char *sys = folded(profile, SPROF_WEIGHT_SYS, false);

	assert_string_equal(samples, "main 1\nmain;a 2\nmain;a;b 4\nmain;a;b;c 8\nmain;a;c 2\n");
	assert_string_equal(wall,
		"main 1000\nmain;a 2000\nmain;a;b 4000\nmain;a;b;c 8000\n"
		"main;a;c 2000\n");
	assert_string_equal(sys, "");
	sprof_profile_destroy(profile);
}

static void separators_and_controls_are_replaced(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_metrics weight = wall_ns(5000);
	SPROF_AUTO_FREE char *text = NULL;
	uint32_t outer, inner, location;

	assert_true(sprof_profile_name_location(profile, "a;b\tc\r\n", &location));
	assert_true(sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, &outer));
	assert_true(sprof_profile_name_location(profile, "", &location));
	assert_true(sprof_profile_push(profile, outer, location, &inner));
	example_add_row(profile, thread, inner, &weight);
	example_add(profile, thread, "step 5", &weight);
	text = folded(profile, SPROF_WEIGHT_WALL, false);
	assert_string_equal(text, "a:b?c??;? 5\nstep_5 5\n");
	sprof_profile_destroy(profile);
}

static void bytes_that_are_no_utf8_become_a_mark(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_metrics weight = wall_ns(1000);
	SPROF_AUTO_FREE char *text = NULL;

	/* good; a stray byte; overlong; a surrogate; cut at the end; above the last code point */
	example_add(profile, thread, "1\xc3\xa9\xf0\x9f\x98\x80", &weight);
	example_add(profile, thread, "2\xff!", &weight);
	example_add(profile, thread, "3\xc0\xaf", &weight);
	example_add(profile, thread, "4\xed\xa0\x80", &weight);
	example_add(profile, thread, "5\xe2\x82", &weight);
	example_add(profile, thread, "6\xf5\x80\x80\x80", &weight);
	text = folded(profile, SPROF_WEIGHT_WALL, false);
#define MARK "\xef\xbf\xbd"
	assert_string_equal(text,
		"1\xc3\xa9\xf0\x9f\x98\x80 1\n2" MARK "! 1\n3" MARK MARK " 1\n4" MARK MARK MARK
		" 1\n5" MARK MARK " 1\n6" MARK MARK MARK MARK " 1\n");
#undef MARK
	sprof_profile_destroy(profile);
}

static void lines_of_the_same_text_are_merged(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t one = example_thread(profile, "one"), two = example_thread(profile, "two");
	struct sprof_metrics half = wall_ns(500);
	SPROF_AUTO_FREE char *merged = NULL, *apart = NULL;

	example_add(profile, one, "main;f\n", &half);
	example_add(profile, one, "main;f\t", &half);
	example_add(profile, two, "main;f?", &(struct sprof_metrics){.times = {{1000, 0, 0, 0}}});
	merged = folded(profile, SPROF_WEIGHT_WALL, false);
	assert_string_equal(merged, "main;f? 2\n");
	apart = folded(profile, SPROF_WEIGHT_WALL, true);
	assert_string_equal(apart, "one-100/101;main;f? 1\ntwo-100/102;main;f? 1\n");
	sprof_profile_destroy(profile);
}

static void a_thread_is_one_frame_without_spaces(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "my; worker 3");
	struct sprof_metrics weight = wall_ns(7000);
	SPROF_AUTO_FREE char *text = NULL;

	example_add(profile, thread, "main", &weight);
	text = folded(profile, SPROF_WEIGHT_WALL, true);
	assert_string_equal(text, "my:_worker_3-100/101;main 7\n");
	sprof_profile_destroy(profile);
}

static void lines_are_sorted_by_their_bytes(void **state)
{
	static const char *const stacks[] = {
		"a;b", "a b", "a", "a:b", "a;b;c", "a<b>;c", "A", "a;a"};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	SPROF_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		example_add(profile, thread, stacks[i], &(struct sprof_metrics){.samples = 1});
	text = folded(profile, SPROF_WEIGHT_SAMPLES, false);
	assert_string_equal(text, "A 1\na 1\na b 1\na:b 1\na;a 1\na;b 1\na;b;c 1\na<b>;c 1\n");
	sprof_profile_destroy(profile);
}

static void small_times_do_not_drift(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	SPROF_AUTO_FREE char *text = NULL;
	unsigned long long sum_ns = 0, sum_us = 0;
	char name[16];

	for (int i = 0; i < 5000; i++) {
		struct sprof_metrics weight = wall_ns((uint64_t)(i * 37 % 1700));

		sum_ns += (unsigned long long)(i * 37 % 1700);
		snprintf(name, sizeof(name), "f%d", i);
		example_add(profile, thread, name, &weight);
	}
	text = folded(profile, SPROF_WEIGHT_WALL, false);
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) && *line;) {
		unsigned long long us = strtoull(strrchr(line, ' '), NULL, 10);

		assert_in_range(us, 1, 2);
		sum_us += us;
	}
	assert_int_equal(sum_us, (sum_ns + 500) / 1000);
	sprof_profile_destroy(profile);
}

static void a_single_line_is_rounded_to_the_nearest(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{499, ""}, {500, "f 1\n"}, {1499, "f 1\n"}, {1500, "f 2\n"},
		{9007199254740993000, "f 9007199254740993\n"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_profile *profile = sprof_profile_create(NULL);
		uint32_t thread = example_thread(profile, "t");
		struct sprof_metrics weight = wall_ns(cases[i].ns);
		SPROF_AUTO_FREE char *text = NULL;

		example_add(profile, thread, "f", &weight);
		text = folded(profile, SPROF_WEIGHT_WAIT, false);
		assert_string_equal(text, cases[i].text);
		sprof_profile_destroy(profile);
	}
}

TEST_MAIN("folded")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example),
		cmocka_unit_test(separators_and_controls_are_replaced),
		cmocka_unit_test(bytes_that_are_no_utf8_become_a_mark),
		cmocka_unit_test(lines_of_the_same_text_are_merged),
		cmocka_unit_test(a_thread_is_one_frame_without_spaces),
		cmocka_unit_test(lines_are_sorted_by_their_bytes),
		cmocka_unit_test(small_times_do_not_drift),
		cmocka_unit_test(a_single_line_is_rounded_to_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
