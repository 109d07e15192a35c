/*
 * events/perf-event: what a refusal means, and what all events have in common.
 */
#include "events/perf/event.h"

#include <errno.h>
#include <time.h>

#include "tests/unit/check.h"

static void refusals_have_reasons(void **state)
{
	static const struct {
		int errnum;
		enum sprof_perf_reason reason;
	} cases[] = {
		{EACCES, SPROF_PERF_PARANOID},
		{EINVAL, SPROF_PERF_UNSUPPORTED},
		{ENOENT, SPROF_PERF_UNSUPPORTED},
		{EMFILE, SPROF_PERF_TOO_MANY_FILES},
		{ESRCH, SPROF_PERF_GONE},
		{EIO, SPROF_PERF_OTHER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_perf_denial denial = sprof_perf_denial_of(cases[i].errnum);

		assert_int_equal(denial.reason, cases[i].reason);
		assert_int_equal(denial.os_errno, cases[i].errnum);
	}
}

/* The parser of records relies on these. */
static void every_record_tells_who_when_and_where(void **state)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	assert_int_equal(attributes.sample_type,
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW);
	assert_true(attributes.sample_id_all);
	assert_true(attributes.use_clockid);
	assert_int_equal(attributes.clockid, CLOCK_MONOTONIC);
	assert_true(attributes.watermark);
}

static void nobody_has_the_highest_id(void **state)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct sprof_perf_denial denial = {SPROF_PERF_PERMITTED, 0};

	assert_int_equal(sprof_perf_open(&attributes, INT32_MAX, 0, &denial), -1);
	assert_int_not_equal(denial.reason, SPROF_PERF_PERMITTED);
	assert_int_not_equal(denial.os_errno, 0);
}

TEST_MAIN("perf-event")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals_have_reasons),
		cmocka_unit_test(every_record_tells_who_when_and_where),
		cmocka_unit_test(nobody_has_the_highest_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
