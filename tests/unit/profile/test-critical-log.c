/*
 * profile/critical: where the path of a recording ends whose program has not, and what a log of
 * bounded size keeps.
 */
#include "profile/critical/graph.h"
#include "profile/critical/log.h"
#include "profile/critical/places.h"

#include "tests/unit/check.h"

/* From 1000 on, until the last moment. */
static void build(
	const struct sprof_moment *moments, size_t count, struct sprof_critical_graph *ret)
{
	assert_true(
		sprof_critical_graph_build(moments, count, 1000, moments[count - 1].time_ns, ret));
}

/* The thread's path ends where the recording does, in a part of this kind. */
static void check_end(const struct sprof_moment *moments, size_t count, uint32_t thread,
	enum sprof_critical_kind kind, uint64_t since_ns)
{
	struct sprof_critical_graph graph;
	struct sprof_critical_end end;
	const struct sprof_critical_part *part;

	build(moments, count, &graph);
	end = sprof_critical_end_of(&graph, SPROF_CRITICAL_NONE);
	assert_int_equal(end.thread, thread);
	assert_int_equal(end.time_ns, graph.end_ns);
	part = &graph.parts[sprof_critical_part_at(&graph, thread, end.time_ns)];
	assert_int_equal(part->kind, kind);
	assert_int_equal(part->begin_ns, since_ns);
	assert_true(part->is_open);
	sprof_critical_graph_finish(&graph);
}

static void a_hang_is_on_the_path(void **state)
{
	const struct sprof_moment moments[] = {
		{1100, 0, 0, SPROF_MOMENT_OFF, 0},
		{1600, 1, 0, SPROF_MOMENT_OFF, 0},
		{9000, 2, 0, SPROF_MOMENT_SEEN_ASLEEP, 0},
	};

	check_end(moments, 3, 1, SPROF_CRITICAL_SLEEP, 1600);
}

static void a_thread_that_runs_is_preferred_to_a_sleeping_one(void **state)
{
	const struct sprof_moment moments[] = {
		{1100, 0, 0, SPROF_MOMENT_OFF, 0},
		{9000, 1, 0, SPROF_MOMENT_SEEN_RUNNING, 0},
	};

	check_end(moments, 2, 1, SPROF_CRITICAL_RUN, 1000);
}

static void a_thread_that_waits_for_a_cpu_has_not_ended(void **state)
{
	const struct sprof_moment moments[] = {
		{1100, 1, 0, SPROF_MOMENT_PREEMPTED, 0},
		{9000, 0, 0, SPROF_MOMENT_OFF, 0},
		{9500, 0, 0, SPROF_MOMENT_ENDED, 0},
	};

	check_end(moments, 3, 1, SPROF_CRITICAL_QUEUE, 1100);
}

static void a_program_that_only_sleeps_has_a_path(void **state)
{
	const struct sprof_moment moments[] = {
		{9000, 0, 0, SPROF_MOMENT_SEEN_ASLEEP, 0},
		{9000, 1, 0, SPROF_MOMENT_SEEN_ASLEEP, 0},
	};

	check_end(moments, 2, 0, SPROF_CRITICAL_SLEEP, 1000);
}

static bool ignore_sample(void *data, const struct sprof_sample *sample)
{
	return true;
}

static void the_latest_samples_are_kept(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_critical_log log;
	struct sprof_sink sink;

	assert_non_null(profile);
	sprof_critical_log_begin(&log, profile, 4);
	sink = sprof_critical_log_sink(&log);
	log.inner = (struct sprof_sink){.sample = ignore_sample};
	for (uint64_t i = 1; i <= 5; i++)
		assert_true(sink.sample(sink.data, &(struct sprof_sample){.time_ns = 100 * i}));
	assert_int_equal(log.sample_count, 3);
	assert_int_equal(log.samples[2].time_ns, 500);
	/* Of 150, 250 ... 550, the moments from 350 on are kept. */
	for (uint64_t i = 1; i <= 5; i++)
		assert_true(sprof_critical_log_moment(
			&log, &(struct sprof_moment){.time_ns = 100 * i + 50}));
	assert_int_equal(log.begin_ns, 350);
	assert_int_equal(log.sample_count, 2);
	assert_int_equal(log.samples[0].time_ns, 400);
	sprof_critical_log_finish(&log);
	sprof_profile_destroy(profile);
}

/* It ran for 100000 ns, and the mean of 100 samples is 1000 ns: 16000 ns is the limit. */
static void a_sample_far_away_says_nothing(void **state)
{
	struct sprof_critical_sample samples[100];
	const struct sprof_critical_log log = {.samples = samples, .sample_count = 100};
	struct sprof_critical_places places;
	struct sprof_critical_graph graph;
	uint64_t until_ns;

	for (uint32_t i = 0; i < 100; i++)
		samples[i] = (struct sprof_critical_sample){41000 + i, 0, 7};
	build(&(struct sprof_moment){101000, 0, 0, SPROF_MOMENT_SEEN_RUNNING, 0}, 1, &graph);
	assert_true(sprof_critical_places_build(&log, &graph, &places));
	assert_int_equal(sprof_critical_stack_at(&places, 0, 1000, &until_ns), SPROF_PROFILE_ROOT);
	assert_int_equal(until_ns, 25000);
	assert_int_equal(sprof_critical_stack_at(&places, 0, 25000, &until_ns), 7);
	assert_int_equal(until_ns, 41000);
	assert_int_equal(sprof_critical_stack_at(&places, 0, 42000, &until_ns), 7);
	assert_int_equal(until_ns, 41099 + 16000);
	assert_int_equal(sprof_critical_stack_at(&places, 0, 57099, &until_ns), SPROF_PROFILE_ROOT);
	sprof_critical_places_finish(&places);
	sprof_critical_graph_finish(&graph);
}

TEST_MAIN("critical-log")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hang_is_on_the_path),
		cmocka_unit_test(a_thread_that_runs_is_preferred_to_a_sleeping_one),
		cmocka_unit_test(a_thread_that_waits_for_a_cpu_has_not_ended),
		cmocka_unit_test(a_program_that_only_sleeps_has_a_path),
		cmocka_unit_test(the_latest_samples_are_kept),
		cmocka_unit_test(a_sample_far_away_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
