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
	duty->weight = 1;
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

/*
 * A program that is busy in every other second, in which much is taken: windows are rarer then. Without
 * weights, the mean would be 36.
 */
static void a_window_counts_for_the_time_since_the_last_one(void **state)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct sprof_duty duty;

		sprof_duty_init(&duty, 0.05, seed, 0);
		while (duty.next_ns < UINT64_C(200) * SPROF_NS_PER_S) {
			const uint64_t now = duty.next_ns;
			const bool is_busy = now / SPROF_NS_PER_S % 2;

			if (!duty.is_open) {
				sprof_duty_open(&duty, now);
				continue;
			}
			sprof_duty_close(
				&duty, now, is_busy ? 3 * SPROF_NS_PER_MS : 0, is_busy * 100);
		}
		assert_true(fabs(duty.sum / duty.weights - 50) < 3);
	}
}

/* A window of weight 2 changes the mean as two equal windows do, but it is one window. */
static void the_error_takes_weights(void **state)
{
	struct sprof_duty duty;

	sprof_duty_init(&duty, 0.05, 3, begin_ns);
	sprof_duty_open(&duty, duty.next_ns);
	duty.weight = 2;
	sprof_duty_close(&duty, duty.next_ns, 0, 10);
	sprof_duty_open(&duty, duty.next_ns);
	duty.weight = 1;
	sprof_duty_close(&duty, duty.next_ns, 0, 40);
	/* Mean 20; the distances by weight are 20 and 20: sqrt(2 * 800) / 3. */
	assert_true(fabs(sprof_duty_error(&duty) - 40.0 / 3 / 20) < 1e-9);
}

TEST_MAIN("duty")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_takes_more_than_its_share),
		cmocka_unit_test(seeds_give_other_moments),
		cmocka_unit_test(the_error_is_that_of_a_mean),
		cmocka_unit_test(a_window_counts_for_the_time_since_the_last_one),
		cmocka_unit_test(the_error_takes_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
