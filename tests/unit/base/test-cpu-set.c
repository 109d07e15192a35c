/*
 * base/cpu-set: sets, also of CPUs that a cpu_set_t has no room for, and the affinity of this thread.
 */
#include "base/cpu-set.h"

#include <limits.h>
#include <sched.h>
#include <string.h>

#include "tests/unit/check.h"

static void sets_have_room_for_any_machine(void **state)
{
	static const int numbers[] = {0, 63, 64, 1023, 1024, SPROF_CPU_SET_SIZE - 1};
	struct sprof_cpu_set cpus = {0};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_false(sprof_cpu_set_has(&cpus, numbers[i]));
		sprof_cpu_set_add(&cpus, numbers[i]);
		assert_true(sprof_cpu_set_has(&cpus, numbers[i]));
		assert_int_equal(sprof_cpu_set_count(&cpus), i + 1);
	}
	assert_false(sprof_cpu_set_has(&cpus, 1));
}

static void other_numbers_are_in_none(void **state)
{
	struct sprof_cpu_set cpus = {0};

	sprof_cpu_set_add(&cpus, -1);
	sprof_cpu_set_add(&cpus, SPROF_CPU_SET_SIZE);
	sprof_cpu_set_add(&cpus, INT_MAX);
	assert_int_equal(sprof_cpu_set_count(&cpus), 0);
	assert_false(sprof_cpu_set_has(&cpus, -1) || sprof_cpu_set_has(&cpus, SPROF_CPU_SET_SIZE));
}

static void sets_are_joined_and_taken_away(void **state)
{
	const struct sprof_cpu_set low = sprof_cpu_set_only(3), high = sprof_cpu_set_only(5000);
	const struct sprof_cpu_set both = sprof_cpu_set_join(&low, &high);
	const struct sprof_cpu_set rest = sprof_cpu_set_without(&both, &low);

	assert_int_equal(sprof_cpu_set_count(&both), 2);
	assert_true(!memcmp(&rest, &high, sizeof(*&high)));
	assert_false(!memcmp(&rest, &both, sizeof(*&both)));
}

static void a_thread_is_confined_and_set_free(void **state)
{
	struct sprof_cpu_set before, now;
	struct sprof_cpu_set one;

	assert_true(sprof_cpu_set_of(0, &before));
	one = sprof_cpu_set_only(sched_getcpu());
	assert_true(sprof_cpu_set_confine(0, &one));
	assert_true(sprof_cpu_set_of(0, &now));
	assert_true(!memcmp(&now, &one, sizeof(*&one)));
	assert_true(sprof_cpu_set_has(&now, sched_getcpu()));
	assert_true(sprof_cpu_set_confine(0, &before));
	assert_true(sprof_cpu_set_of(0, &now));
	assert_true(!memcmp(&now, &before, sizeof(*&before)));
	assert_false(sprof_cpu_set_of(INT_MAX, &now));
}

TEST_MAIN("cpu-set")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_have_room_for_any_machine),
		cmocka_unit_test(other_numbers_are_in_none),
		cmocka_unit_test(sets_are_joined_and_taken_away),
		cmocka_unit_test(a_thread_is_confined_and_set_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
