/* cmd/so-far: a long run says ever more rarely that it goes on. */
#include "cmd/syscalls/pace.h"

#include "base/clock.h"
#include "tests/unit/check.h"

static void each_distance_is_as_long_as_all_before(void **state)
{
	const uint64_t begin = 5 * (uint64_t)SPROF_NS_PER_S, s = SPROF_NS_PER_S;
	struct sprof_pace so_far;

	sprof_pace_begin(&so_far, true, begin);
	assert_false(sprof_pace_is_due(&so_far, begin + s));
	assert_true(sprof_pace_is_due(&so_far, begin + 2 * s));
	assert_false(sprof_pace_is_due(&so_far, begin + 3 * s));
	assert_int_equal(so_far.next_ns, begin + 4 * s);
	/* What was missed meanwhile is not made up for. */
	assert_true(sprof_pace_is_due(&so_far, begin + 20 * s));
	assert_int_equal(so_far.next_ns, begin + 32 * s);
	assert_int_equal(so_far.said, 2);
}

static void nobody_is_told_where_nobody_reads(void **state)
{
	struct sprof_pace so_far;

	sprof_pace_begin(&so_far, false, 0);
	assert_int_equal(so_far.next_ns, UINT64_MAX);
	assert_false(sprof_pace_is_due(&so_far, 1000 * (uint64_t)SPROF_NS_PER_S));
}

TEST_MAIN("pace")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_distance_is_as_long_as_all_before),
		cmocka_unit_test(nobody_is_told_where_nobody_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
