/*
 * output/text: the worked example as golden text, by samples and by time, the limits and what they
 * say, and names that don't fit or are hostile.
 *
 * After a wanted change of the layout: SPROF_GOLDEN_UPDATE=1 writes the golden files anew; read the
 * diff.
 */
#include "output/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/example.h"

static char *report(const struct sprof_profile *profile, const struct sprof_output_options *options)
{
	return written_by(&sprof_format_text, profile, options);
}

static void assert_golden(const char *text, const char *name)
{
	SPROF_AUTO_FREE char *expected = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", getenv("SPROF_GOLDEN"), name);
	if (getenv("SPROF_GOLDEN_UPDATE")) {
		SPROF_AUTO_FCLOSE FILE *file = fopen(path, "w");

		assert_non_null(file);
		assert_true(fputs(text, file) >= 0);
		return;
	}
	expected = written_file(path);
	assert_string_equal(text, expected);
}

static void the_example_by_samples(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_output_options options = {.weight = SPROF_WEIGHT_SAMPLES, .full = true};
	SPROF_AUTO_FREE char *text = report(profile, &options);

	assert_golden(text, "example-samples.txt");
	sprof_profile_destroy(profile);
}

static void the_example_by_wall_time(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_output_options options = {.weight = SPROF_WEIGHT_WALL, .full = true};
	SPROF_AUTO_FREE char *text = report(profile, &options);

	assert_golden(text, "example-wall-full.txt");
	sprof_profile_destroy(profile);
}

/* The default limits must not touch anything of a profile this small. */
static void small_profiles_are_shown_whole(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = report(profile, &options);

	assert_golden(text, "example-wall.txt");
	sprof_profile_destroy(profile);
}

static void add_times(struct sprof_profile *profile, uint32_t thread, const char *folded,
	uint64_t samples, struct sprof_times times)
{
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		times.ns[i] *= SPROF_NS_PER_MS;
	example_add(profile, thread, folded,
		&(struct sprof_metrics){.samples = samples, .times = times});
}

static struct sprof_profile *two_processes(void)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_thread_record other = {
		.id = 2, .pid = 200, .tid = 200, .name = "child", .process_name = "child --fast"};
	struct sprof_quality quality = {
		.target_pid = 100,
		.duration_ns = 1500 * (uint64_t)SPROF_NS_PER_MS,
		.rate_hz = 99,
		.ticks = 148,
		.ticks_late = 2,
		.ticks_missed = 3,
		.samples_stopped = 100,
		.samples_peeked = 20,
		.samples_reused = 180,
		.samples_lost = 4,
		.stops = 101,
		.stop_ns_total = 4040000,
		.stop_ns_p50 = 39500,
		.stop_ns_p95 = 64100,
		.stop_ns_p99 = 90200,
		.stop_ns_max = 1234567,
		.profiler_cpu_ns = 56700000,
		.unwind_ns_total = 12000000,
		.stacks = {[SPROF_END_ROOT] = 298, [SPROF_END_DEPTH] = 1, [SPROF_END_NO_CFI] = 1},
		.threads_seen = 3,
		.processes_seen = 2,
		.schedstat_missing = true,
	};

	example_thread(profile, "main");
	example_thread(profile, "worker");
	assert_true(sink.thread(sink.data, &other));
	add_times(profile, 0, "main;spin", 100, (struct sprof_times){{900, 50, 50, 0}});
	add_times(profile, 0, "main;[unsampled]", 0, (struct sprof_times){{0, 0, 0, 7}});
	add_times(profile, 1, "start;read", 100, (struct sprof_times){{10, 20, 0, 970}});
	add_times(profile, 2, "main;write", 100, (struct sprof_times){{200, 600, 1, 199}});
	assert_true(sprof_profile_describe(profile, "example --threads 2", 0));
	sprof_profile_set_quality(profile, &quality);
	return profile;
}

static void threads_processes_and_both_modes(void **state)
{
	struct sprof_profile *profile = two_processes();
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL;

	options.report_mode = SPROF_REPORT_BOTH;
	text = report(profile, &options);
	assert_golden(text, "two-processes.txt");
	sprof_profile_destroy(profile);
}

static void the_mode_chooses_the_parts(void **state)
{
	struct sprof_profile *profile = two_processes();
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *merged = report(profile, &options);
	SPROF_AUTO_FREE char *single = NULL;

	assert_non_null(strstr(merged, "== all 3 threads together =="));
	assert_null(strstr(merged, "== thread "));
	options.report_mode = SPROF_REPORT_PER_THREAD;
	single = report(profile, &options);
	assert_null(strstr(single, "together"));
	assert_non_null(strstr(
		single, "== thread 102 worker of process 100: wall 1.000 s, 100 samples =="));
	sprof_profile_destroy(profile);
}

static void says_what_it_left_out(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_output_options options = {
		.weight = SPROF_WEIGHT_SAMPLES, .top = 5, .min_percent = 1.0, .width = 100};
	SPROF_AUTO_FREE char *text = NULL;
	char folded[64];

	for (int i = 0; i < 20; i++) {
		snprintf(folded, sizeof(folded), "main;f%d", i);
		example_add(profile, thread, folded,
			&(struct sprof_metrics){.samples = i < 12 ? 1 : 100});
	}
	text = report(profile, &options);
	/* main, with a total of 100 %, is one of those that didn't fit; so are three of the eight.
	 */
	assert_non_null(strstr(
		text, "(4 more functions below the first 5)\n(12 more functions under 1.0 %)"));
	assert_non_null(strstr(text, "(12 more paths under 1.0 %)"));
	assert_non_null(strstr(
		text, "(3 more functions below the first 5)\n(12 more functions under 1.0 %)"));
	assert_null(strstr(text, " f3\n"));
	sprof_profile_destroy(profile);
}

static void the_heaviest_threads_stay(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL;
	char name[16];

	options.top = 2;
	for (uint32_t i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "thread-%u", i);
		example_thread(profile, name);
		add_times(profile, i, "main", 1, (struct sprof_times){{i, 0, 0, 0}});
	}
	text = report(profile, &options);
	assert_null(strstr(text, "thread-0"));
	assert_null(strstr(text, "thread-1"));
	assert_non_null(strstr(text, "thread-2"));
	assert_non_null(strstr(text, "thread-3"));
	assert_non_null(strstr(text, "(2 more threads below the first 2)"));
	assert_non_null(strstr(text, "      all  6.00 ms"));
	sprof_profile_destroy(profile);
}

/* A profile whose threads have a sample each, and the kernel's counts. */
static struct sprof_profile *make_threads(size_t count)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);

	assert_non_null(profile);
	for (size_t i = 0; i < count; i++) {
		const struct sprof_thread_facts facts = {
			.own_tid = 101 + (pid_t)i, .has_switches = true, .has_io = true};
		const uint32_t thread = example_thread(profile, "worker");

		example_add(profile, thread, "main;work",
			&(struct sprof_metrics){
				.samples = 1, .times.ns[SPROF_TIME_USER] = SPROF_NS_PER_MS});
		profile->threads[thread].times.ns[SPROF_TIME_SLEEP] = SPROF_NS_PER_MS;
		profile->threads[thread].facts = facts;
		profile->threads[thread].has_facts = true;
	}
	return profile;
}

static void many_threads_stand_behind_the_answer(void **state)
{
	for (size_t count = 8; count <= 9; count++) {
		struct sprof_profile *profile = make_threads(count);
		struct sprof_output_options options = sprof_output_options_default();
		SPROF_AUTO_FREE char *text = report(profile, &options);
		const char *threads = strstr(text, "\nthreads\n");

		assert_non_null(threads);
		assert_int_equal(threads < strstr(text, "flat profile"), count == 8);
		sprof_profile_destroy(profile);
	}
}

/* No column of the counts is empty: of ids that are equal, and of kinds of waits that none had. */
static void counts_that_nobody_has_take_no_room(void **state)
{
	struct sprof_profile *profile = make_threads(2);
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *few = report(profile, &options), *all = NULL;

	assert_non_null(strstr(few, "\n      tid cpu    sleep volunt."));
	profile->threads[1].facts.own_tid = 1;
	profile->threads[0].times.ns[SPROF_TIME_DISK] = SPROF_NS_PER_MS;
	all = report(profile, &options);
	assert_non_null(strstr(all, "\n      tid  own tid cpu    sleep     disk volunt."));
	sprof_profile_destroy(profile);
}

static char *report_of_stolen(uint64_t stolen)
{
	struct sprof_output_options options = sprof_output_options_default();
	struct sprof_profile *profile = sprof_profile_create(NULL);
	char *text;

	example_thread(profile, "main");
	add_times(profile, 0, "main", 1,
		(struct sprof_times){{1000 - stolen, 0, 0, 0, 0, 0, stolen}});
	text = report(profile, &options);
	sprof_profile_destroy(profile);
	return text;
}

static void stolen_time_has_columns_where_it_counts(void **state)
{
	SPROF_AUTO_FREE char *little = report_of_stolen(4), *enough = report_of_stolen(5);

	assert_null(strstr(little, "stolen"));
	assert_non_null(strstr(enough, "     runq     wait   stolen  samples"));
	assert_non_null(strstr(enough, "      0 s  5.00 ms        1 cpu"));
	assert_non_null(strstr(enough, "user%  sys% runq% wait% stolen% samples"));
	assert_non_null(strstr(enough, "  99.5   0.0   0.0   0.0     0.5       1"));
}

/* Lines are counted in characters, not bytes. */
static size_t longest_line(const char *text)
{
	size_t longest = 0, length = 0;

	for (; *text; text++) {
		if (*text == '\n')
			length = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80 && ++length > longest)
			longest = length;
	}
	return longest;
}

static void long_names_are_shortened_in_the_middle(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_output_options options = sprof_output_options_default();
	const struct sprof_metrics one = {.samples = 1, .times.ns[SPROF_TIME_USER] = 1000};
	SPROF_AUTO_FREE char *text = NULL, *full = NULL;

	example_add(profile, thread,
		"begin_of_a_long_name_"
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4_that_takes_more_than_the_line_has_room_"
		"for_"
		"and_goes_on_until_the_end",
		&one);
	text = report(profile, &options);
	assert_int_equal(longest_line(text), 100);
	assert_non_null(strstr(text, "begin_of_a_lo"));
	assert_non_null(strstr(text, "til_the_end\n"));
	options.full = true;
	full = report(profile, &options);
	assert_null(strstr(full, "..."));
	sprof_profile_destroy(profile);
}

static void add_wait(
	struct sprof_profile *profile, const char *call, const char *object, uint64_t ms)
{
	struct sprof_profile_context context = {
		.state = SPROF_STATE_SLEEP, .kind = SPROF_WAIT_KIND_IO};
	struct sprof_profile_row row = {.stack = example_stack(profile, "main;handle"),
		.metrics = {.samples = ms, .times.ns[SPROF_TIME_SLEEP] = ms * SPROF_NS_PER_MS}};

	context.syscall = sprof_build_string(profile, call, strlen(call));
	context.object = sprof_build_string(profile, object, strlen(object));
	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

/* Each connection of a server is an object of its own, with little time. */
static void alike_waits_are_shown_together(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL, *full = NULL;
	char object[64];

	example_thread(profile, "server");
	add_wait(profile, "accept", "tcp 10.0.0.1:80 listening", 699);
	add_wait(profile, "fsync", "/var/log/server", 1);
	for (int i = 0; i < 300; i++) {
		snprintf(object, sizeof(object), "tcp 10.0.0.1:80 -> 10.0.0.2:%d", 20000 + i);
		add_wait(profile, "recvfrom", object, 1);
	}
	options.waits_only = true;
	text = report(profile, &options);
	assert_non_null(strstr(text,
		"300.0 ms   30.0   -     300    io  recvfrom of 300 more objects in handle\n"
		"(1 more wait under 0.5 %)\n"));
	options.full = true;
	full = report(profile, &options);
	assert_null(strstr(full, "more"));
	sprof_profile_destroy(profile);
}

static void deep_stacks_stay_readable(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_output_options options = sprof_output_options_default();
	const struct sprof_metrics one = {.samples = 1, .times.ns[SPROF_TIME_USER] = 1000};
	SPROF_AUTO_FREE char *text = NULL;
	char folded[200 * 8] = "f1";

	for (int i = 2; i <= 200; i++)
		sprintf(folded + strlen(folded), ";f%d", i);
	example_add(profile, thread, folded, &one);
	options.top = 0;
	text = report(profile, &options);
	assert_in_range(longest_line(text), 60, 100);
	assert_non_null(strstr(text, " [200] f200\n"));
	assert_non_null(strstr(text, " [200] f1\n"));
	sprof_profile_destroy(profile);
}

static void hostile_names_do_no_harm(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "\x1b[31mred\n");
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL;

	options.report_mode = SPROF_REPORT_BOTH;
	add_times(profile, thread, "%s%n\x1b]0;title\a\r", 1, (struct sprof_times){{1, 0, 0, 0}});
	assert_true(sprof_profile_describe(profile, "x\ny", 0));
	text = report(profile, &options);
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
	assert_non_null(strstr(text, "sprof: x?y\n"));
	assert_non_null(strstr(text, "%s%n?]0\n"));
	sprof_profile_destroy(profile);
}

static void an_empty_profile_has_a_report(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_output_options options = sprof_output_options_default();
	SPROF_AUTO_FREE char *text = NULL;

	options.report_mode = SPROF_REPORT_BOTH;
	text = report(profile, &options);
	assert_non_null(strstr(text, "stacks      none\n"));
	sprof_profile_destroy(profile);
}

static void says_what_would_let_the_kernel_take_samples(void **state)
{
	static const struct {
		enum sprof_timers_denied denied;
		const char *words;
	} cases[] = {
		{SPROF_TIMERS_PARANOID, "kernel.perf_event_paranoid is above 1: 1 helps, "},
		{SPROF_TIMERS_FILES, "a larger ulimit -n helps"},
		{SPROF_TIMERS_UNSUPPORTED, "this kernel or machine has no such timers; "},
		{SPROF_TIMERS_USER_ONLY, "of its own code: kernel.perf_event_paranoid 1 helps"},
		{SPROF_TIMERS_OTHER, "perf_event_open failed"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_profile *profile = example_worked();
		struct sprof_output_options options = {.weight = SPROF_WEIGHT_WALL, .full = true};
		struct sprof_quality quality = profile->quality;
		SPROF_AUTO_FREE char *text = NULL;

		quality.timers_denied = cases[i].denied;
		sprof_profile_set_quality(profile, &quality);
		text = report(profile, &options);
		assert_non_null(strstr(text, cases[i].words));
		sprof_profile_destroy(profile);
	}
}

TEST_MAIN("text")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_by_samples),
		cmocka_unit_test(the_example_by_wall_time),
		cmocka_unit_test(small_profiles_are_shown_whole),
		cmocka_unit_test(threads_processes_and_both_modes),
		cmocka_unit_test(the_mode_chooses_the_parts),
		cmocka_unit_test(says_what_it_left_out),
		cmocka_unit_test(the_heaviest_threads_stay),
		cmocka_unit_test(many_threads_stand_behind_the_answer),
		cmocka_unit_test(counts_that_nobody_has_take_no_room),
		cmocka_unit_test(long_names_are_shortened_in_the_middle),
		cmocka_unit_test(alike_waits_are_shown_together),
		cmocka_unit_test(stolen_time_has_columns_where_it_counts),
		cmocka_unit_test(deep_stacks_stay_readable),
		cmocka_unit_test(hostile_names_do_no_harm),
		cmocka_unit_test(says_what_would_let_the_kernel_take_samples),
		cmocka_unit_test(an_empty_profile_has_a_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
