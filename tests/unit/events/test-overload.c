/*
 * events/overload: when watching takes too much.
 */
#include "events/functions/overload.h"

#include "base/clock.h"
#include "tests/unit/check.h"

static const uint64_t begin_ns = 77;

static void only_more_than_the_share_is_too_much(void **state)
{
	struct sprof_overload overload;

	sprof_overload_init(&overload, 0.5, begin_ns);
	assert_int_equal(overload.next_ns, begin_ns + SPROF_NS_PER_S);
	assert_false(sprof_overload_is(&overload, overload.next_ns, SPROF_NS_PER_S / 2));
	assert_true(sprof_overload_is(&overload, overload.next_ns, SPROF_NS_PER_S / 2 + 1));
}

/* What was taken is that of the period, however late its end is noticed. */
static void periods_follow_each_other(void **state)
{
	struct sprof_overload overload;
	const uint64_t late_ns = begin_ns + 4 * (uint64_t)SPROF_NS_PER_S;

	sprof_overload_init(&overload, 0.5, begin_ns);
	assert_false(sprof_overload_is(&overload, late_ns, SPROF_NS_PER_S));
	assert_int_equal(overload.since_ns, late_ns);
	assert_int_equal(overload.next_ns, late_ns + SPROF_NS_PER_S);
	assert_true(sprof_overload_is(&overload, overload.next_ns, SPROF_NS_PER_S));
}

static void without_a_share_nothing_is(void **state)
{
	struct sprof_overload overload;

	sprof_overload_init(&overload, 0, begin_ns);
	assert_true(overload.next_ns == UINT64_MAX);
	assert_false(sprof_overload_is(&overload, begin_ns + SPROF_NS_PER_S, SPROF_NS_PER_S));
}

static void an_empty_period_says_nothing(void **state)
{
	struct sprof_overload overload;

	sprof_overload_init(&overload, 0.5, begin_ns);
	assert_false(sprof_overload_is(&overload, begin_ns, 1));
}

TEST_MAIN("overload")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_more_than_the_share_is_too_much),
		cmocka_unit_test(periods_follow_each_other),
		cmocka_unit_test(without_a_share_nothing_is),
		cmocka_unit_test(an_empty_period_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
