/* output/summary/idle: the place that is named has more than half of the time, and so has the object. */
#include "output/format.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/example.h"

static void add_idle(struct sprof_profile *profile, const char *stack, const char *call,
	const char *object, uint64_t ms)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_SLEEP,
		.kind = SPROF_WAIT_KIND_IDLE,
		.syscall = call,
		.object = object};
	struct sprof_profile_row row = {.thread = example_thread(profile, object),
		.stack = example_stack(profile, stack),
		.metrics = {.samples = ms, .times.ns[SPROF_TIME_SLEEP] = ms * SPROF_NS_PER_MS}};

	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

/* A master and two workers with a queue each: no single object has most of the time. */
static void idle_programs_wait_most_where_more_than_half_is(void **state)
{
	static const struct {
		uint64_t first_ms, second_ms;
		const char *verdict;
	} cases[] = {
		{100, 100, "waiting for something to do, most in epoll_wait in serve\n"},
		{500, 100, "waiting for something to do, most in epoll_wait queue 1 in serve\n"},
		{0, 40, "waiting for something to do, most in rt_sigsuspend signal in lead\n"},
		{100, 0, "waiting for something to do\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_profile *profile = sprof_build_create();
		const struct sprof_quality quality = {
			.duration_ns = SPROF_NS_PER_S, .rate_hz = 99, .samples_stopped = 300};
		const struct sprof_output_options options = sprof_output_options_default();
		SPROF_AUTO_FREE char *text = NULL;

		add_idle(profile, "main;lead", "rt_sigsuspend", "signal", 100);
		add_idle(profile, "main;serve", "epoll_wait", "queue 1", cases[i].first_ms);
		add_idle(profile, "main;serve", "epoll_wait", "queue 2", cases[i].second_ms);
		sprof_profile_set_quality(profile, &quality);
		text = written_by(&sprof_format_summary, profile, &options);
		sprof_profile_destroy(profile);
		if (!strstr(text, cases[i].verdict))
			fail_msg("%s is not in:\n%s", cases[i].verdict, text);
	}
}

TEST_MAIN("summary-idle")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_programs_wait_most_where_more_than_half_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
