/*
 * sampler/schedule: the mean rate is exact, late ticks are counted and never made up for, whatever
 * the clock does.
 */
#include "sampler/loop/schedule.h"

#include <stdbool.h>

#include "tests/unit/check.h"

enum { PERIOD = 10000, FIRST = 1000000 };

/* Small and deterministic, so a failure can be repeated. */
static uint64_t next_random(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

static struct sprof_schedule start(uint64_t seed)
{
	struct sprof_schedule schedule;

	sprof_schedule_init(&schedule, PERIOD, FIRST, seed);
	return schedule;
}

static void the_first_tick_is_where_it_was_wanted(void **state)
{
	struct sprof_schedule schedule = start(7);

	assert_int_equal(schedule.deadline, FIRST);
	assert_int_equal(schedule.ticks, 0);
}

/* A thousand ticks in time: each within half a period of its slot, none missed. */
static void ticks_in_time_keep_the_mean_rate(void **state)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sprof_schedule schedule = start(seed);

		for (uint64_t i = 1; i <= 1000; i++) {
			uint64_t slot = FIRST + i * PERIOD;

			sprof_schedule_advance(&schedule, schedule.deadline);
			assert_in_range(schedule.deadline, slot - PERIOD / 2, slot + PERIOD / 2);
		}
		assert_int_equal(schedule.ticks, 1000);
		assert_int_equal(schedule.late, 0);
		assert_int_equal(schedule.missed, 0);
	}
}

static void the_jitter_uses_its_whole_room(void **state)
{
	struct sprof_schedule schedule = start(3);
	unsigned parts[4] = {0};

	for (uint64_t i = 1; i <= 4000; i++) {
		sprof_schedule_advance(&schedule, schedule.deadline);
		parts[(schedule.deadline - (FIRST + i * PERIOD - PERIOD / 2)) / (PERIOD / 4)]++;
	}
	for (int i = 0; i < 4; i++)
		assert_in_range(parts[i], 800, 1200);
}

static void equal_seeds_give_equal_ticks(void **state)
{
	struct sprof_schedule one = start(42), same = start(42), other = start(44);
	unsigned differences = 0;

	for (int i = 0; i < 100; i++) {
		sprof_schedule_advance(&one, one.deadline);
		sprof_schedule_advance(&same, same.deadline);
		sprof_schedule_advance(&other, other.deadline);
		assert_int_equal(one.deadline, same.deadline);
		differences += one.deadline != other.deadline;
	}
	assert_true(differences > 90);
}

static void a_whole_period_behind_is_late(void **state)
{
	struct sprof_schedule schedule = start(1);

	sprof_schedule_advance(&schedule, FIRST + PERIOD - 1);
	assert_int_equal(schedule.late, 0);
	sprof_schedule_advance(&schedule, schedule.deadline + PERIOD);
	assert_int_equal(schedule.late, 1);
	assert_int_equal(schedule.ticks, 2);
}

static void slots_that_have_passed_are_missed(void **state)
{
	struct sprof_schedule schedule = start(1);

	/* The slots at +1 to +5 have passed, the one at +6 is next. */
	sprof_schedule_advance(&schedule, FIRST + 5 * PERIOD + 1);
	assert_int_equal(schedule.missed, 5);
	assert_int_equal(schedule.slot, FIRST + 6 * PERIOD);
	assert_int_equal(schedule.late, 1);
	/* At its very moment a slot has passed: the next one as well as those after it. */
	for (uint64_t slots = 1; slots < 4; slots++) {
		schedule = start(1);
		sprof_schedule_advance(&schedule, FIRST + slots * PERIOD);
		assert_int_equal(schedule.missed, slots);
		assert_int_equal(schedule.slot, FIRST + (slots + 1) * PERIOD);
	}
}

/* A delay of one turn: a target that holds up ticks at random, now and then for long. */
static uint64_t delay(uint64_t *random)
{
	switch (next_random(random) % 8) {
	case 0:
		return next_random(random) % (20 * PERIOD);
	case 1:
		return next_random(random) % (2 * PERIOD);
	default:
		return next_random(random) % 50;
	}
}

static void every_slot_is_a_tick_or_missed(void **state)
{
	for (uint64_t seed = 1; seed < 50; seed++) {
		struct sprof_schedule schedule = start(seed);
		uint64_t random = seed, missed = 0;

		for (int i = 0; i < 2000; i++) {
			uint64_t now = schedule.deadline + delay(&random);

			sprof_schedule_advance(&schedule, now);
			assert_true(schedule.deadline > now);
			assert_true(schedule.missed >= missed);
			assert_int_equal(
				schedule.slot, FIRST + (schedule.ticks + schedule.missed) * PERIOD);
			missed = schedule.missed;
		}
		assert_true(schedule.missed > 0 && schedule.late > 0);
		assert_true(schedule.late <= schedule.ticks);
	}
}

/* Any window has at most as many ticks as slots, plus the two at its edges. */
static void what_was_missed_is_not_made_up_for(void **state)
{
	enum { WINDOW = 10, TICKS = 3000 };
	static uint64_t taken[TICKS];
	struct sprof_schedule schedule = start(9);
	uint64_t random = 5;

	for (int i = 0; i < TICKS; i++) {
		taken[i] = schedule.deadline + delay(&random);
		sprof_schedule_advance(&schedule, taken[i]);
	}
	for (int i = WINDOW + 2; i < TICKS; i++)
		assert_true(taken[i] - taken[i - WINDOW - 2] >= (uint64_t)WINDOW * PERIOD);
}

static void periods_too_short_to_jitter(void **state)
{
	for (uint64_t period = 1; period < 6; period++) {
		struct sprof_schedule schedule;

		sprof_schedule_init(&schedule, period, 100, 1);
		for (int i = 0; i < 100; i++) {
			uint64_t now = schedule.deadline;

			sprof_schedule_advance(&schedule, now);
			assert_true(schedule.deadline > now);
		}
		assert_in_range(schedule.slot, 100 + 100 * period, 100 + 101 * period);
	}
}

/* A laptop slept with its lid closed, and its clock went on. */
static void a_day_long_pause(void **state)
{
	struct sprof_schedule schedule = start(1);
	uint64_t day = 86400ull * 1000000000u;

	sprof_schedule_advance(&schedule, FIRST + day);
	assert_true(schedule.deadline > FIRST + day);
	assert_true(schedule.deadline <= FIRST + day + 2 * PERIOD);
	assert_in_range(schedule.missed, day / PERIOD - 1, day / PERIOD);
}

/* They count as taken, and keep the grid. */
static void spared_ticks_are_taken(void **state)
{
	struct sprof_schedule schedule = start(1);

	for (int i = 0; i < 100; i++) {
		sprof_schedule_advance(&schedule, schedule.deadline);
		sprof_schedule_spare(&schedule, 20);
	}
	assert_int_equal(schedule.slot, FIRST + (schedule.ticks + schedule.ahead) * PERIOD);
	assert_in_range(schedule.ticks, 800, 1300);
}

/* A look between two deadlines counts as one more, and the slots that have passed are missed. */
static void an_early_look_is_one_more(void **state)
{
	struct sprof_schedule schedule = start(1);

	sprof_schedule_advance(&schedule, schedule.deadline);
	sprof_schedule_settle(&schedule, schedule.deadline - 1);
	assert_int_equal(schedule.ticks, 2);
	assert_int_equal(schedule.missed, 0);
	sprof_schedule_settle(&schedule, schedule.slot + 10 * PERIOD);
	assert_int_equal(schedule.ticks, 3);
	assert_int_equal(schedule.missed, 10);
}

/* A shorter one, too: nothing is missed, and the next tick is one. */
static void another_period_moves_the_next_tick(void **state)
{
	static const uint64_t periods[] = {PERIOD * 4, PERIOD / 2, PERIOD / 4, PERIOD / 8, PERIOD};

	for (uint64_t seed = 1; seed < 200; seed++) {
		struct sprof_schedule schedule = start(seed);

		for (size_t i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
			const uint64_t now = schedule.deadline, most = schedule.period * 3 / 2;

			sprof_schedule_advance(&schedule, now);
			sprof_schedule_set_period(&schedule, periods[i], now);
			assert_in_range(
				schedule.deadline, now + 1, now + most + periods[i] * 3 / 2);
		}
		assert_int_equal(schedule.missed, 0);
		assert_int_equal(schedule.late, 0);
	}
}

/* No more than what is spared may pass: who takes these ticks has no room for others. */
static void a_look_behind_what_it_spares_is_late(void **state)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sprof_schedule schedule = start(seed);
		uint64_t spared;

		sprof_schedule_advance(&schedule, schedule.deadline);
		sprof_schedule_spare(&schedule, 8);
		spared = schedule.ahead;
		sprof_schedule_advance(&schedule, schedule.deadline + (1 + spared) * PERIOD - 1);
		assert_int_equal(schedule.late, 0);
		sprof_schedule_spare(&schedule, 8);
		spared = schedule.ahead;
		sprof_schedule_advance(&schedule, schedule.deadline + (1 + spared) * PERIOD);
		assert_int_equal(schedule.late, 1);
	}
}

static void a_quarter_of_a_period_is_long(void **state)
{
	assert_false(sprof_schedule_is_long(FIRST, PERIOD, FIRST + PERIOD / 4 - 1));
	assert_true(sprof_schedule_is_long(FIRST, PERIOD, FIRST + PERIOD / 4));
}

static void spared_ticks_can_be_taken_back(void **state)
{
	struct sprof_schedule schedule = start(1);
	uint64_t now;

	sprof_schedule_advance(&schedule, FIRST);
	do
		sprof_schedule_spare(&schedule, 20);
	while (schedule.ahead < 10);
	now = schedule.deadline - 5 * PERIOD - PERIOD / 2;
	sprof_schedule_resume(&schedule, now);
	assert_in_range(schedule.deadline, now, now + PERIOD);
	assert_int_equal(schedule.slot, FIRST + (schedule.ticks + schedule.ahead) * PERIOD);
	sprof_schedule_resume(&schedule, now);
	assert_in_range(schedule.deadline, now, now + PERIOD);
}

/* The threads that a tick has stopped run before the next one, however long it was. */
static void a_long_tick_has_a_rest(void **state)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sprof_schedule schedule = start(seed);
		uint64_t end;

		for (uint64_t i = 1; i <= 100; i++) {
			const uint64_t begin = schedule.deadline;

			end = begin + i * PERIOD / 10;
			sprof_schedule_advance(&schedule, begin);
			sprof_schedule_rest(&schedule, begin, end);
			assert_true(schedule.deadline >=
				end + (i < 40 ? (end - begin) / 2 : 2 * PERIOD));
		}
		assert_int_equal(schedule.ticks, 100);
		assert_true(schedule.missed > 500);
	}
}

/* Nor does a short one change the rate. */
static void a_short_tick_needs_none(void **state)
{
	struct sprof_schedule schedule = start(5);

	for (uint64_t i = 1; i <= 1000; i++) {
		const uint64_t begin = schedule.deadline;

		sprof_schedule_advance(&schedule, begin);
		sprof_schedule_rest(&schedule, begin, begin + PERIOD / 20);
	}
	assert_int_equal(schedule.ticks, 1000);
	assert_int_equal(schedule.missed, 0);
	assert_in_range(schedule.deadline, FIRST + 999 * PERIOD, FIRST + 1001 * PERIOD);
}

TEST_MAIN("schedule")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_tick_has_a_rest),
		cmocka_unit_test(a_short_tick_needs_none),
		cmocka_unit_test(the_first_tick_is_where_it_was_wanted),
		cmocka_unit_test(ticks_in_time_keep_the_mean_rate),
		cmocka_unit_test(the_jitter_uses_its_whole_room),
		cmocka_unit_test(equal_seeds_give_equal_ticks),
		cmocka_unit_test(a_whole_period_behind_is_late),
		cmocka_unit_test(slots_that_have_passed_are_missed),
		cmocka_unit_test(every_slot_is_a_tick_or_missed),
		cmocka_unit_test(what_was_missed_is_not_made_up_for),
		cmocka_unit_test(periods_too_short_to_jitter),
		cmocka_unit_test(a_day_long_pause),
		cmocka_unit_test(spared_ticks_are_taken),
		cmocka_unit_test(an_early_look_is_one_more),
		cmocka_unit_test(another_period_moves_the_next_tick),
		cmocka_unit_test(a_look_behind_what_it_spares_is_late),
		cmocka_unit_test(a_quarter_of_a_period_is_long),
		cmocka_unit_test(spared_ticks_can_be_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
