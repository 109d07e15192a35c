/*
 * cmd/window-times: what threads had of windows for themselves.
 */
#include "cmd/functions/window-times.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/check.h"

enum { THREAD = 3, OTHER = 5, ENOUGH = 2000000 };

static const struct sprof_trap_floor trap_floor = {
	.here = {.gap_ns = 8000, .cpu_ns = 3000},
	.elsewhere = {.gap_ns = 50000, .cpu_ns = 13000},
};

/* One thread in one window after the other, by its own clock. */
struct run {
	struct sprof_window_times times;
	uint64_t now_ns;
};

static struct run begin(void)
{
	struct run run = {.now_ns = 1000000000};

	sprof_window_times_init(&run.times, &trap_floor, ENOUGH);
	return run;
}

/* The thread goes on, and stops after it has run for `own_ns` and slept. Returns whether that counts. */
static bool stop_once(
	struct run *run, const struct sprof_trap_cost *cost, uint64_t own_ns, uint64_t slept_ns)
{
	const struct sprof_breakpoint_load load = {
		.stopped_ns = run->now_ns + cost->gap_ns + own_ns + slept_ns,
		.gap_ns = cost->gap_ns + own_ns + slept_ns,
		.cpu_ns = cost->cpu_ns + own_ns,
		.slices = slept_ns ? 2 : 1,
		.is_elsewhere = cost == &trap_floor.elsewhere,
	};
	bool counts;

	run->now_ns = load.stopped_ns;
	assert_true(sprof_window_times_stop(&run->times, THREAD, &load, run->now_ns, &counts));
	return counts;
}

static double finish(struct run *run, uint32_t thread, bool *ret_is_most)
{
	const double own = sprof_window_times_own(&run->times, thread, ret_is_most);

	sprof_window_times_finish(&run->times);
	return own;
}

/* Whatever a stop takes, every 100 us of its own time it stops: each window has 20 of these. */
static void a_window_counts_for_the_same_time_of_each_thread(void **state)
{
	const struct sprof_trap_cost *const costs[] = {&trap_floor.here, &trap_floor.elsewhere};

	for (size_t i = 0; i < 2; i++) {
		struct run run = begin();
		bool is_most;
		int counted = 0;

		for (int window = 0; window < 10; window++) {
			sprof_window_times_open(&run.times, run.now_ns);
			for (int j = 0; j < 40; j++)
				counted += stop_once(&run, costs[i], 100000, 0);
			sprof_window_times_close(&run.times, run.now_ns);
		}
		assert_true(abs(counted - 200) <= 10);
		assert_true(fabs(finish(&run, THREAD, &is_most) - 10.0 * ENOUGH) < 1);
		assert_false(is_most);
	}
}

/* Of each stop's cost, 3000 ns, 40 % are uncertain: of 6000 ns of its own, that is a fifth. */
static void the_more_it_stops_the_less_is_certain(void **state)
{
	struct run run = begin();
	bool is_most;

	assert_true(sprof_window_times_error(&run.times, THREAD) == 0);
	sprof_window_times_open(&run.times, run.now_ns);
	for (int j = 0; j < 20; j++)
		assert_true(stop_once(&run, &trap_floor.here, 6000, 0));
	sprof_window_times_close(&run.times, run.now_ns);
	assert_true(fabs(sprof_window_times_error(&run.times, THREAD) - 0.2) < 1e-9);
	finish(&run, THREAD, &is_most);
}

/* In a long window, a thread that stops once has lost its CPU to other programs. */
static void what_other_programs_took_is_not_taken_by_stops(void **state)
{
	struct run run = begin();
	struct sprof_breakpoint_load load = {
		.gap_ns = 1000000000, .cpu_ns = 200000000, .runq_ns = 800000000, .slices = 40};
	bool counts;

	sprof_window_times_init(&run.times, &trap_floor, UINT64_MAX);
	sprof_window_times_open(&run.times, run.now_ns);
	load.stopped_ns = run.now_ns + load.gap_ns;
	assert_true(sprof_window_times_stop(&run.times, THREAD, &load, load.stopped_ns, &counts));
	assert_true(sprof_window_times_close(&run.times, load.stopped_ns) < 100000);
	sprof_window_times_finish(&run.times);
}

/* The tracer keeps the thread off its CPU from the window's begin on: that time is not its own. */
static void what_it_waited_at_the_begin_is_not_its_own(void **state)
{
	const struct sprof_breakpoint_load
		queued = {.gap_ns = 91500, .cpu_ns = 11500, .runq_ns = 75000, .slices = 1},
		preempted = {.gap_ns = 91500, .cpu_ns = 11500, .runq_ns = 75000, .slices = 2};
	const struct sprof_breakpoint_load *const loads[] = {&queued, &preempted};

	for (size_t i = 0; i < 2; i++) {
		struct run run = begin();
		struct sprof_breakpoint_load load = *loads[i];
		bool is_most, counts;

		sprof_window_times_open(&run.times, run.now_ns);
		load.stopped_ns = run.now_ns + load.gap_ns;
		assert_true(sprof_window_times_stop(
			&run.times, THREAD, &load, load.stopped_ns, &counts));
		sprof_window_times_close(&run.times, load.stopped_ns);
		assert_true(fabs(finish(&run, THREAD, &is_most) - 12500) < 2500);
	}
}

static void sleep_is_its_own(void **state)
{
	struct run run = begin();
	bool is_most;

	sprof_window_times_open(&run.times, run.now_ns);
	for (int j = 0; j < 3; j++)
		assert_true(stop_once(&run, &trap_floor.elsewhere, 100000, 300000));
	sprof_window_times_close(&run.times, run.now_ns);
	/* Of the first gap it is not known what was before the window; half of its cost is. */
	assert_true(fabs(finish(&run, THREAD, &is_most) - 3 * 400000) < 50000);
	assert_false(is_most);
}

static void who_never_stops_has_all(void **state)
{
	struct run run = begin();
	bool is_most;

	sprof_window_times_open(&run.times, run.now_ns);
	assert_true(stop_once(&run, &trap_floor.here, 1000, 0));
	assert_int_equal(0, sprof_window_times_close(&run.times, run.now_ns) / 20000);
	sprof_window_times_open(&run.times, run.now_ns);
	sprof_window_times_close(&run.times, run.now_ns + 2 * ENOUGH);
	assert_true(fabs(finish(&run, OTHER, &is_most) - ENOUGH - 9000) < 1);
	assert_false(is_most);
}

static void the_loss_is_told(void **state)
{
	struct run run = begin();
	bool is_most;

	sprof_window_times_open(&run.times, run.now_ns);
	for (int j = 0; j < 10; j++)
		stop_once(&run, &trap_floor.elsewhere, 100000, 0);
	assert_true(fabs((double)sprof_window_times_close(&run.times, run.now_ns) - 10.0 * 50000) <
		50000);
	finish(&run, THREAD, &is_most);
}

static void a_busy_thread_has_a_bound(void **state)
{
	struct run run = begin();
	bool is_most;

	sprof_window_times_open(&run.times, run.now_ns);
	for (int j = 0; j < 100; j++)
		assert_true(stop_once(&run, &trap_floor.here, 300, 0));
	sprof_window_times_close(&run.times, run.now_ns);
	assert_true(finish(&run, THREAD, &is_most) > 100 * 3000);
	assert_true(is_most);
}

/* Between the first stop and the last one, whatever windows there were. */
static void waits_for_a_cpu_are_a_share_of_the_time(void **state)
{
	struct sprof_breakpoint_load load = {.stopped_ns = 1000000, .all_runq_ns = 700};
	struct run run = begin();
	bool counts;

	sprof_window_times_open(&run.times, 0);
	assert_true(sprof_window_times_stop(&run.times, THREAD, &load, 1000000, &counts));
	assert_true(sprof_window_times_queued(&run.times, THREAD) == 0);
	sprof_window_times_close(&run.times, 2000000);
	sprof_window_times_open(&run.times, 4000000);
	load = (struct sprof_breakpoint_load){.stopped_ns = 5000000, .all_runq_ns = 1000700};
	assert_true(sprof_window_times_stop(&run.times, THREAD, &load, 5000000, &counts));
	assert_true(fabs(sprof_window_times_queued(&run.times, THREAD) - 0.25) < 1e-9);
	assert_true(sprof_window_times_queued(&run.times, OTHER) == 0);
	sprof_window_times_finish(&run.times);
}

/* Without schedstat, what a stop takes is all that is known. */
static void without_cpu_times(void **state)
{
	const struct sprof_breakpoint_load load = {
		.stopped_ns = 1, .gap_ns = 150000, .is_elsewhere = true};
	struct run run = begin();
	bool is_most, counts;

	sprof_window_times_open(&run.times, run.now_ns);
	assert_true(stop_once(&run, &trap_floor.elsewhere, 1, 0));
	assert_true(
		sprof_window_times_stop(&run.times, THREAD, &load, run.now_ns + 150000, &counts));
	assert_true(counts);
	sprof_window_times_close(&run.times, run.now_ns + 150000);
	assert_true(fabs(finish(&run, THREAD, &is_most) - 100000) < 30000);
}

TEST_MAIN("window-times")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_counts_for_the_same_time_of_each_thread),
		cmocka_unit_test(the_more_it_stops_the_less_is_certain),
		cmocka_unit_test(what_other_programs_took_is_not_taken_by_stops),
		cmocka_unit_test(what_it_waited_at_the_begin_is_not_its_own),
		cmocka_unit_test(sleep_is_its_own),
		cmocka_unit_test(who_never_stops_has_all),
		cmocka_unit_test(the_loss_is_told),
		cmocka_unit_test(a_busy_thread_has_a_bound),
		cmocka_unit_test(waits_for_a_cpu_are_a_share_of_the_time),
		cmocka_unit_test(without_cpu_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
