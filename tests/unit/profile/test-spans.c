/*
 * profile/spans: the timeline by thread; gaps, and how many samples of a span are before a time.
 */
#include "profile/model/spans.h"

#include "base/array.h"
#include "profile/model/index.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static void add_span(
	struct sprof_profile *profile, uint32_t row, uint64_t begin, uint64_t end, uint32_t samples)
{
	assert_true(sprof_array_reserve(&profile->spans, &profile->span_capacity,
		profile->span_count + 1, sizeof(*profile->spans)));
	profile->spans[profile->span_count++] = (struct sprof_profile_span){
		.begin_ns = begin, .end_ns = end, .row = row, .samples = samples};
}

/* Two threads, rows 0 and 1; a sample every 100 ns, the run began at 1000. */
static struct sprof_profile *two_threads(void)
{
	const struct sprof_metrics metrics = {.samples = 10};
	struct sprof_profile *profile = sprof_profile_create(NULL);

	example_add(profile, example_thread(profile, "one"), "main;f", &metrics);
	example_add(profile, example_thread(profile, "two"), "main;g", &metrics);
	profile->quality.rate_hz = 1e7;
	profile->quality.mode = SPROF_MODE_CPU;
	profile->start_ns = 1000;
	add_span(profile, 1, 900, 900, 1);
	add_span(profile, 0, 1000, 1300, 4);
	add_span(profile, 1, 1050, 1050, 1);
	add_span(profile, 0, 1420, 1420, 1);
	add_span(profile, 0, 2000, 2100, 2);
	return profile;
}

static void a_sample_lasts_until_the_next_one(void **state)
{
	struct sprof_profile *profile = two_threads();
	struct sprof_spans spans;
	struct sprof_span span;

	assert_true(sprof_spans_build(profile, &spans));
	assert_int_equal(spans.first[1] - spans.first[0], 3);
	assert_int_equal(spans.first[2] - spans.first[1], 2);
	span = sprof_spans_get(&spans, 0);
	assert_int_equal(span.begin_ns, 0);
	assert_int_equal(span.end_ns, 420);
	assert_true(span.is_followed);
	/* The thread was not sampled for a while, or any more. */
	span = sprof_spans_get(&spans, 1);
	assert_int_equal(span.end_ns, 520);
	assert_false(span.is_followed);
	span = sprof_spans_get(&spans, 2);
	assert_int_equal(span.end_ns, 1200);
	/* What is before the start is at the start. */
	span = sprof_spans_get(&spans, spans.first[1]);
	assert_int_equal(span.begin_ns, 0);
	assert_int_equal(span.end_ns, 50);
	profile->quality.mode = SPROF_MODE_WALL;
	assert_int_equal(sprof_spans_get(&spans, 1).end_ns, 1000);
	sprof_spans_finish(&spans);
	sprof_profile_destroy(profile);
}

/* A thread's sleep may be told behind what it did after it. */
static void what_is_told_late_has_its_place(void **state)
{
	struct sprof_profile *profile = two_threads();
	struct sprof_spans spans;

	add_span(profile, 0, 1500, 1500, 1);
	assert_true(sprof_spans_build(profile, &spans));
	assert_int_equal(spans.first[1] - spans.first[0], 4);
	assert_int_equal(sprof_spans_get(&spans, 1).end_ns, 500);
	assert_int_equal(sprof_spans_get(&spans, 2).begin_ns, 500);
	assert_int_equal(sprof_spans_get(&spans, 3).begin_ns, 1000);
	sprof_spans_finish(&spans);
	sprof_profile_destroy(profile);
}

static void extend(struct sprof_profile *profile, uint32_t row, uint64_t ns)
{
	const struct sprof_profile_span span = {
		.begin_ns = ns, .end_ns = ns, .row = row, .samples = 1};

	assert_true(sprof_profile_extend(profile, 0, &span));
}

/* What is told late goes on with what was before, and not with what comes next. */
static void what_is_told_late_is_added_to_its_own_span(void **state)
{
	struct sprof_profile *profile = two_threads();

	profile->span_count = 0;
	sprof_profile_set_timeline(profile, 100, 0);
	example_add(profile, 0, "main;h", &(struct sprof_metrics){.samples = 1});
	extend(profile, 0, 1000);
	extend(profile, 2, 1005);
	extend(profile, 0, 1001);
	extend(profile, 2, 1006);
	extend(profile, 0, 1009);
	extend(profile, 2, 1002);
	extend(profile, 0, 1010);
	assert_int_equal(profile->span_count, 4);
	assert_int_equal(profile->spans[0].samples, 2);
	assert_int_equal(profile->spans[0].end_ns, 1001);
	assert_int_equal(profile->spans[1].end_ns, 1006);
	assert_int_equal(profile->spans[2].begin_ns, 1009);
	assert_int_equal(profile->spans[2].end_ns, 1010);
	assert_int_equal(profile->spans[3].begin_ns, 1002);
	sprof_profile_destroy(profile);
}

static void samples_lie_evenly_in_a_span(void **state)
{
	const struct sprof_span span = {
		.begin_ns = 100, .last_ns = 400, .end_ns = 500, .samples = 4};

	assert_int_equal(sprof_span_samples_before(&span, 0), 0);
	assert_int_equal(sprof_span_samples_before(&span, 100), 0);
	assert_int_equal(sprof_span_samples_before(&span, 101), 1);
	assert_int_equal(sprof_span_samples_before(&span, 200), 1);
	assert_int_equal(sprof_span_samples_before(&span, 201), 2);
	assert_int_equal(sprof_span_samples_before(&span, 400), 3);
	assert_int_equal(sprof_span_samples_before(&span, 401), 4);
	assert_int_equal(sprof_span_sample_ns(&span, 0), 100);
	assert_int_equal(sprof_span_sample_ns(&span, 3), 400);
	assert_int_equal(sprof_span_samples_before(&span, 5000), 4);
}

/* Each thread in turn, every 1000 ns. */
static void sample(
	struct sprof_profile *profile, uint32_t thread, uint32_t stack, enum sprof_state state)
{
	static uint64_t time_ns;
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_sample taken = {.thread = thread, .stack = stack, .state = state};

	time_ns = profile->span_count ? time_ns + 1000 : 2000;
	taken.time_ns = time_ns;
	assert_true(sink.sample(sink.data, &taken));
}

static void spans_are_run_length_coded_and_bounded(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	const uint32_t one = example_thread(profile, "one"), two = example_thread(profile, "two"),
		       stack = example_stack(profile, "main;f");

	sprof_profile_set_timeline(profile, 3, 0);
	for (int i = 0; i < 5; i++) {
		sample(profile, one, stack, SPROF_STATE_SLEEP);
		sample(profile, two, stack, SPROF_STATE_SLEEP);
	}
	assert_int_equal(profile->span_count, 2);
	assert_int_equal(profile->spans[0].samples, 5);
	assert_int_equal(profile->spans[0].begin_ns, 2000);
	assert_int_equal(profile->spans[0].end_ns, 10000);
	assert_int_equal(profile->rows[profile->spans[1].row].thread, two);
	assert_int_equal(profile->spans_cut_ns, 0);
	for (int i = 0; i < 4; i++)
		sample(profile, one, stack, i % 2 ? SPROF_STATE_SLEEP : SPROF_STATE_USER);
	assert_int_equal(profile->span_count, 3);
	assert_int_equal(profile->spans_cut_ns, 13000);
	sprof_profile_destroy(profile);
}

TEST_MAIN("spans")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_lasts_until_the_next_one),
		cmocka_unit_test(what_is_told_late_has_its_place),
		cmocka_unit_test(what_is_told_late_is_added_to_its_own_span),
		cmocka_unit_test(samples_lie_evenly_in_a_span),
		cmocka_unit_test(spans_are_run_length_coded_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
