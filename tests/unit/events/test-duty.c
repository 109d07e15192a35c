/*
 * events/duty: windows keep their share at random moments.
 */
#include "events/functions/duty.h"

#include <math.h>

#include "base/clock.h"
#include "tests/unit/check.h"

static const uint64_t begin_ns = 1000000;

/* Windows in which all of the time is taken, up to some moment of the run. */
static void run(struct sprof_duty *duty, double share, uint64_t seed, uint64_t length_ns)
{
	sprof_duty_init(duty, share, seed, begin_ns);
	while (duty->next_ns < begin_ns + length_ns) {
		const uint64_t now = duty->next_ns;

		if (duty->is_open)
			sprof_duty_close(duty, now, now - duty->opened_ns, 1);
		else
			sprof_duty_open(duty, now);
	}
}

static void never_takes_more_than_its_share(void **state)
{
	static const double shares[] = {0.5, 0.05, 0.01};

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		for (uint64_t seed = 0; seed < 50; seed++) {
			struct sprof_duty duty;

			run(&duty, shares[i], seed, UINT64_C(10) * SPROF_NS_PER_S);
			assert_true((double)duty.taken_ns <= shares[i] * 10e9 + 3e6);
			assert_true(duty.windows > (shares[i] < 0.02 ? 25 : 100));
		}
	}
}

static void seeds_give_other_moments(void **state)
{
	struct sprof_duty one, same, other;

	run(&one, 0.05, 1, SPROF_NS_PER_S);
	run(&same, 0.05, 1, SPROF_NS_PER_S);
	run(&other, 0.05, 2, SPROF_NS_PER_S);
	assert_int_equal(one.next_ns, same.next_ns);
	assert_int_not_equal(one.next_ns, other.next_ns);
}

static void count_in(struct sprof_duty *duty, uint64_t counted)
{
	sprof_duty_open(duty, duty->next_ns);
	sprof_duty_close(duty, duty->next_ns, 0, counted);
}

static void the_error_is_that_of_a_mean(void **state)
{
	struct sprof_duty duty;

	sprof_duty_init(&duty, 0.05, 3, begin_ns);
	assert_true(isinf(sprof_duty_error(&duty)));
	count_in(&duty, 10);
	assert_true(isinf(sprof_duty_error(&duty)));
	count_in(&duty, 10);
	assert_true(sprof_duty_error(&duty) < 1e-9);
	count_in(&duty, 40);
	/* Mean 20; the squares of the distances are 100, 100, 400: 200 / 2 is 10 squared. */
	assert_true(fabs(sprof_duty_error(&duty) - 0.5) < 1e-9);
}

TEST_MAIN("duty")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_takes_more_than_its_share),
		cmocka_unit_test(seeds_give_other_moments),
		cmocka_unit_test(the_error_is_that_of_a_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
