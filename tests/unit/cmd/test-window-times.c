/*
 * cmd/window-times: what threads had of windows for themselves.
 */
#include "cmd/window-times.h"

#include <math.h>

#include "tests/unit/check.h"

enum { THREAD = 3, ON_NS = 1000000, FLOOR_NS = 5000 };

static const struct sprof_trap_floor trap_floor = {
	.here.gap_ns = FLOOR_NS,
	.elsewhere.gap_ns = 40000,
};

/* Stops of one window with such gaps before them. Returns what the thread had. */
static double own_of(const uint64_t *gaps, size_t count, bool *ret_is_most)
{
	struct sprof_window_times times = {0};
	struct sprof_breakpoint_load load = {0};
	double own;

	for (size_t i = 0; i < count; i++) {
		load.stops++;
		load.gap_ns = gaps[i];
		assert_true(sprof_window_times_stop(&times, THREAD, 1, &load));
	}
	load.read_ns = 1000 * count;
	sprof_window_times_close(&times, THREAD, &load, ON_NS, FLOOR_NS);
	own = sprof_window_times_own(&times, THREAD, &trap_floor, ret_is_most);
	sprof_window_times_finish(&times);
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

/* The quickest of its stops say little of the others: it may have done nothing else. */
static void stops_may_take_longer_than_the_shortest(void **state)
{
	uint64_t gaps[25];
	bool is_most;

	for (size_t i = 0; i < 25; i++)
		gaps[i] = i % 5 ? 40000 : 6000;
	own_of(gaps, 25, &is_most);
	assert_true(is_most);
}

static void what_most_stops_take_has_an_end(void **state)
{
	static const struct {
		uint64_t gap_ns, usual_ns;
	} cases[] = {{1000, FLOOR_NS}, {7000, 7000}, {60000, 2 * FLOOR_NS}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_breakpoint_load load = {.gap_ns = cases[i].gap_ns};
		struct sprof_window_times times = {0};

		for (int j = 0; j < 50; j++)
			assert_true(sprof_window_times_stop(&times, THREAD, 1, &load));
		load.gap_ns = 1;
		for (int j = 0; j < 5; j++)
			assert_true(sprof_window_times_stop(&times, THREAD, 1, &load));
		assert_true(fabs((double)sprof_window_times_usual_ns(&times, THREAD, FLOOR_NS) -
				    (double)cases[i].usual_ns) < 100);
		sprof_window_times_finish(&times);
	}
}

static uint64_t close_window(struct sprof_window_times *times, uint64_t stops, uint64_t read_ns)
{
	return sprof_window_times_close(times, THREAD,
		&(struct sprof_breakpoint_load){.stops = stops, .read_ns = read_ns}, ON_NS,
		FLOOR_NS);
}

/* What it stops for is its own since the window before; windows without a stop are none of its. */
static void windows_follow_each_other(void **state)
{
	struct sprof_window_times times = {0};
	struct sprof_breakpoint_load load = {.stops = 1, .gap_ns = 10};

	assert_true(sprof_window_times_stop(&times, THREAD, 1, &load));
	assert_int_equal(close_window(&times, 10, 1000), 10 * FLOOR_NS + 1000);
	sprof_window_times_begin(&times);
	assert_int_equal(sprof_window_times_active(&times, THREAD, &load), 0);
	assert_int_equal(close_window(&times, 12, 1500), 2 * FLOOR_NS + 500);
	assert_int_equal(close_window(&times, 12, 1500), 0);
	assert_int_equal(close_window(&times, 13, 1600), FLOOR_NS + 100);
	assert_int_equal(sprof_window_times_active(&times, THREAD, &load), 2 * ON_NS);
	assert_int_equal(load.stops, 3);
	assert_int_equal(load.read_ns, 600);
	assert_int_equal(sprof_window_times_active(&times, THREAD + 1, &load), 0);
	sprof_window_times_finish(&times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_gaps_are_what_a_stop_takes),
		cmocka_unit_test(a_stop_takes_at_least_the_floor),
		cmocka_unit_test(a_busy_thread_has_a_bound),
		cmocka_unit_test(stops_may_take_longer_than_the_shortest),
		cmocka_unit_test(what_most_stops_take_has_an_end),
		cmocka_unit_test(windows_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
