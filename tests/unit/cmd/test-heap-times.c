/*
 * cmd/heap-times: what threads had of windows for themselves.
 */
#include "cmd/heap-times.h"

#include <math.h>

#include "tests/unit/check.h"

enum { THREAD = 3, ON_NS = 1000000, FLOOR_NS = 5000 };

/* Stops of one window with such gaps before them. Returns what the thread had. */
static double own_of(const uint64_t *gaps, size_t count, bool *ret_is_most)
{
	struct sprof_heap_times times = {0};
	struct sprof_breakpoint_load load = {0};
	double own;

	for (size_t i = 0; i < count; i++) {
		load.stops++;
		load.gap_ns = gaps[i];
		assert_true(sprof_heap_times_stop(&times, THREAD, 1, &load));
	}
	load.read_ns = 1000 * count;
	own = sprof_heap_times_own(&times, THREAD, &load, ON_NS, FLOOR_NS, ret_is_most);
	sprof_heap_times_finish(&times);
	return own;
}

/* The first gap reaches into the window before. */
static void short_gaps_are_what_a_stop_takes(void **state)
{
	const uint64_t gaps[] = {UINT64_MAX, 8000, 100000, 200000};
	bool is_most;

	assert_true(fabs(own_of(gaps, 4, &is_most) - (ON_NS - 4 * 9000)) < 4 * 100);
	assert_false(is_most);
}

static void a_stop_takes_at_least_the_floor(void **state)
{
	const uint64_t gaps[] = {UINT64_MAX, 10, 100000};
	bool is_most;

	assert_true(fabs(own_of(gaps, 3, &is_most) - (ON_NS - 3 * 6000)) < 1);
	assert_false(is_most);
}

static void a_busy_thread_has_a_bound(void **state)
{
	uint64_t gaps[60];
	bool is_most;

	for (size_t i = 0; i < 60; i++)
		gaps[i] = 15000;
	assert_true(fabs(own_of(gaps, 60, &is_most) - (ON_NS - 60 * 6000)) < 1);
	assert_true(is_most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_gaps_are_what_a_stop_takes),
		cmocka_unit_test(a_stop_takes_at_least_the_floor),
		cmocka_unit_test(a_busy_thread_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
