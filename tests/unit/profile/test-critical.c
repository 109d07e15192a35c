/*
 * profile/critical: the path that decides the length of a run, and the length without a piece of
 * it. Programs that run in a simulation give the truth: the piece can really be taken away.
 */
#include "profile/critical/graph.h"
#include "profile/critical/replay.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/simulation.h"

enum { ITEMS = 40, WORKERS = 8, PLACES = 16 };

struct scene {
	struct simulation *program;
	struct sprof_critical_graph graph;
	struct sprof_critical_end end;
	struct sprof_critical_replay replay;
	unsigned left_out;
	uint64_t on_path[PLACES]; /* by place */
	uint64_t sleeping, queued, lost, sum;
	unsigned broken;
};

static struct scene *scene_begin(void)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	scene->program = calloc(1, sizeof(*scene->program));
	assert_non_null(scene->program);
	return scene;
}

static void scene_end(struct scene *scene)
{
	sprof_critical_replay_finish(&scene->replay);
	sprof_critical_graph_finish(&scene->graph);
	free(scene->program);
	free(scene);
}

static void visit(void *data, const struct sprof_critical_piece *piece)
{
	struct scene *scene = data;
	const uint64_t ns = piece->to_ns - piece->from_ns;

	for (unsigned place = 1; place < PLACES; place++)
		scene->on_path[place] += simulation_spent_at(
			scene->program, piece->part->thread, place, piece->from_ns, piece->to_ns);
	scene->sum += ns;
	scene->sleeping += piece->part->kind == SPROF_CRITICAL_SLEEP ? ns : 0;
	scene->queued += piece->part->kind == SPROF_CRITICAL_QUEUE ? ns : 0;
	scene->lost += piece->part->kind == SPROF_CRITICAL_LOST ? ns : 0;
	scene->broken += piece->is_broken;
}

static void find_path(struct scene *scene)
{
	const struct simulation *program = scene->program;

	assert_true(sprof_critical_graph_build(program->moments, program->moment_count,
		program->moments[0].time_ns < 1000 ? program->moments[0].time_ns : 1000,
		program->end_ns, &scene->graph));
	scene->end = sprof_critical_end_of(&scene->graph, 0);
	assert_true(sprof_critical_replay_run(&scene->graph, &scene->end, NULL, &scene->replay));
	sprof_critical_walk(&scene->graph, &scene->end, &scene->replay, visit, scene);
}

/* With nothing taken away, the replay and the path have the length of the run. */
static void run(struct scene *scene)
{
	simulation_run(scene->program);
	find_path(scene);
	assert_int_equal(scene->end.time_ns, scene->program->end_ns);
	assert_int_equal(scene->replay.length_ns, scene->program->end_ns - 1000);
	assert_int_equal(scene->sum, scene->replay.length_ns);
	assert_int_equal(scene->broken, 0);
}

static uint64_t kept(
	void *data, const struct sprof_critical_part *part, uint64_t from_ns, uint64_t to_ns)
{
	const struct scene *scene = data;

	return to_ns - from_ns -
		simulation_spent_at(scene->program, part->thread, scene->left_out, from_ns, to_ns);
}

static uint64_t length_without(struct scene *scene, unsigned place)
{
	const struct sprof_critical_change change = {kept, scene};
	struct sprof_critical_replay replay;
	uint64_t length_ns;

	scene->left_out = place;
	assert_true(sprof_critical_replay_run(&scene->graph, &scene->end, &change, &replay));
	length_ns = replay.length_ns;
	sprof_critical_replay_finish(&replay);
	return length_ns;
}

/* The replay is a lower bound, and nearly the truth. */
static void check_without(struct scene *scene, unsigned place)
{
	const uint64_t truth = simulation_length_without(scene->program, place);
	const uint64_t found = length_without(scene, place);

	assert_in_range(found, truth - truth / 20, truth);
}

static void start_all(struct scene *scene, uint32_t count)
{
	for (uint32_t i = 1; i <= count; i++)
		simulation_add(scene->program, 0, SIM_START, i, 0);
	for (uint32_t i = 1; i <= count; i++)
		simulation_add(scene->program, 0, SIM_JOIN, i, 0);
}

static void the_slow_stage_of_a_pipeline_decides(void **state)
{
	static const uint64_t work[] = {0, 100, 200, 700, 300};
	struct scene *scene = scene_begin();

	start_all(scene, 4);
	for (uint32_t stage = 1; stage <= 4; stage++) {
		for (int item = 0; item < ITEMS; item++) {
			if (stage > 1)
				simulation_add(scene->program, stage, SIM_WAIT, stage, 0);
			simulation_add(scene->program, stage, SIM_RUN, work[stage], stage);
			if (stage < 4)
				simulation_add(scene->program, stage, SIM_POST, stage + 1, 0);
		}
	}
	run(scene);
	/* The first item passes stages 1 and 2, the last one stage 4. */
	assert_int_equal(scene->on_path[1], 100);
	assert_int_equal(scene->on_path[2], 200);
	assert_int_equal(scene->on_path[3], ITEMS * 700);
	assert_int_equal(scene->on_path[4], 300);
	for (unsigned place = 1; place <= 4; place++)
		check_without(scene, place);
	scene_end(scene);
}

static void a_lock_that_is_passed_on_decides(void **state)
{
	struct scene *scene = scene_begin();

	scene->program->initial[0] = 1;
	start_all(scene, WORKERS);
	for (uint32_t i = 1; i <= WORKERS; i++) {
		for (int turn = 0; turn < ITEMS; turn++) {
			simulation_add(scene->program, i, SIM_RUN, 200, 2);
			simulation_add(scene->program, i, SIM_WAIT, 0, 0);
			simulation_add(scene->program, i, SIM_RUN, 100, 1);
			simulation_add(scene->program, i, SIM_POST, 0, 0);
		}
	}
	run(scene);
	assert_int_equal(scene->on_path[1], WORKERS * ITEMS * 100);
	check_without(scene, 1);
	check_without(scene, 2);
	scene_end(scene);
}

static void the_longest_task_of_a_fork_decides(void **state)
{
	struct scene *scene = scene_begin();

	simulation_add(scene->program, 0, SIM_RUN, 50, 10);
	start_all(scene, 4);
	simulation_add(scene->program, 0, SIM_RUN, 70, 11);
	for (uint32_t i = 1; i <= 4; i++)
		simulation_add(scene->program, i, SIM_RUN, i == 3 ? 1000 : 400 + i, i);
	run(scene);
	assert_int_equal(scene->on_path[3], 1000);
	assert_int_equal(scene->on_path[10] + scene->on_path[11], 120);
	assert_int_equal(scene->sum, 1120);
	/* Then the next one decides. That thread 0 had to wait for thread 4 was not seen. */
	assert_int_equal(simulation_length_without(scene->program, 3), 50 + 404 + 70);
	assert_in_range(length_without(scene, 3), 50 + 402 + 70, 50 + 404 + 70);
	assert_int_equal(length_without(scene, 4), 1120);
	scene_end(scene);
}

static void each_phase_before_a_barrier_has_its_own_last_thread(void **state)
{
	struct scene *scene = scene_begin();

	start_all(scene, 3);
	for (uint32_t i = 1; i <= 3; i++) {
		simulation_add(scene->program, i, SIM_RUN, i == 1 ? 500 : 300, i);
		simulation_add(scene->program, i, SIM_BARRIER, 1, 0);
		simulation_add(scene->program, i, SIM_RUN, i == 3 ? 900 : 600, 4 + i);
		simulation_add(scene->program, i, SIM_BARRIER, 2, 0);
	}
	run(scene);
	assert_int_equal(scene->on_path[1], 500);
	assert_int_equal(scene->on_path[7], 900);
	assert_int_equal(scene->sum, 1400);
	for (unsigned place = 1; place <= 7; place++)
		check_without(scene, place);
	scene_end(scene);
}

static void a_timer_of_the_producer_decides(void **state)
{
	struct scene *scene = scene_begin();

	start_all(scene, 2);
	for (int i = 0; i < ITEMS; i++) {
		simulation_add(scene->program, 1, SIM_TIMER, 300, 1);
		simulation_add(scene->program, 1, SIM_POST, 0, 0);
		simulation_add(scene->program, 2, SIM_WAIT, 0, 0);
		simulation_add(scene->program, 2, SIM_RUN, 100, 2);
	}
	run(scene);
	assert_int_equal(scene->sleeping, ITEMS * 300);
	assert_int_equal(scene->on_path[1], ITEMS * 300);
	assert_int_equal(scene->on_path[2], 100);
	check_without(scene, 1);
	check_without(scene, 2);
	scene_end(scene);
}

/* Thread 1 holds one lock and waits for the other one, which thread 2 holds while it works. */
static void a_chain_of_locks_leads_to_the_work_behind_it(void **state)
{
	struct scene *scene = scene_begin();

	scene->program->initial[0] = scene->program->initial[1] = 1;
	start_all(scene, 3);
	simulation_add(scene->program, 2, SIM_WAIT, 1, 0);
	simulation_add(scene->program, 2, SIM_RUN, 800, 2);
	simulation_add(scene->program, 2, SIM_POST, 1, 0);
	simulation_add(scene->program, 1, SIM_RUN, 10, 4);
	simulation_add(scene->program, 1, SIM_WAIT, 0, 0);
	simulation_add(scene->program, 1, SIM_WAIT, 1, 0);
	simulation_add(scene->program, 1, SIM_RUN, 30, 1);
	simulation_add(scene->program, 1, SIM_POST, 0, 0);
	simulation_add(scene->program, 3, SIM_RUN, 20, 5);
	simulation_add(scene->program, 3, SIM_WAIT, 0, 0);
	simulation_add(scene->program, 3, SIM_RUN, 40, 3);
	run(scene);
	assert_int_equal(scene->on_path[2], 800);
	assert_int_equal(scene->on_path[1], 30);
	assert_int_equal(scene->on_path[3], 40);
	assert_int_equal(scene->sum, 870);
	for (unsigned place = 1; place <= 3; place++)
		check_without(scene, place);
	scene_end(scene);
}

static void say(struct scene *scene, uint64_t time_ns, uint32_t thread, enum sprof_moment_kind kind,
	enum sprof_waker waker, uint32_t by)
{
	scene->program->moments[scene->program->moment_count++] =
		(struct sprof_moment){time_ns, thread, by, (uint8_t)kind, (uint8_t)waker};
	scene->program->end_ns = time_ns;
}

/* Thread 0 sleeps until thread 1 wakes it, and thread 1 runs all the time. */
static struct scene *two_threads(enum sprof_waker waker)
{
	struct scene *scene = scene_begin();

	say(scene, 1100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1500, 0, SPROF_MOMENT_WOKEN, waker, 1);
	say(scene, 1600, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	return scene;
}

static void a_thread_without_moments_ran_if_it_woke_another_one(void **state)
{
	struct scene *scene = two_threads(SPROF_WAKER_THREAD);

	find_path(scene);
	assert_int_equal(scene->sum, 1000);
	assert_int_equal(scene->sleeping + scene->lost + scene->broken, 0);
	scene_end(scene);
}

static void a_sleep_without_a_waker_in_the_target_is_on_the_path(void **state)
{
	struct scene *scene = two_threads(SPROF_WAKER_PROCESS);

	find_path(scene);
	assert_int_equal(scene->sum, 1000);
	assert_int_equal(scene->sleeping, 400);
	scene_end(scene);
}

static void a_missing_waking_is_a_sleep_of_unknown_end(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1600, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_int_equal(scene->sleeping, 500);
	assert_int_equal(scene->graph.parts[1].waker, SPROF_WAKER_UNKNOWN);
	scene_end(scene);
}

/* The kernel puts it to sleep before the switch is recorded. */
static void a_waking_just_before_the_switch_ends_the_sleep(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1010, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1020, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_INTERRUPT, 0);
	say(scene, 1030, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 1100, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 1);
	say(scene, 1101, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1600, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	/* Before 1101, thread 1 is on the path. */
	assert_int_equal(scene->sleeping + scene->broken, 0);
	assert_int_equal(scene->sum, 1000);
	assert_int_equal(scene->graph.woken_count, 1);
	scene_end(scene);
}

/* It was woken from a sleep that it never began: its next sleep is another one. */
static void a_waking_long_before_the_switch_ends_no_sleep(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1010, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1020, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_INTERRUPT, 0);
	say(scene, 1030, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 1100, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 1);
	say(scene, 901100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 951100, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 952000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_int_equal(scene->sleeping, 10 + 50000);
	assert_int_equal(scene->graph.woken_count, 0);
	scene_end(scene);
}

static void lost_records_are_on_the_path_as_lost(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1200, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 1);
	say(scene, 1210, 0, SPROF_MOMENT_ON, 0, 0);
	/* What is seen within a gap of 5 us does not count. */
	say(scene, 6000, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 10000, 0, SPROF_MOMENT_GAP, 0, 5);
	say(scene, 11210, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 11310, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_INTERRUPT, 0);
	say(scene, 11310, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 12000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_true(scene->graph.has_gaps);
	assert_int_equal(scene->lost, 10000);
	assert_int_equal(scene->sleeping, 100);
	assert_int_equal(scene->sum, 11000);
	scene_end(scene);
}

/* Its waker slept then, by the records that there are: the path says so, and goes on. */
static void a_waker_that_slept_breaks_the_path(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1050, 1, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1500, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 1);
	say(scene, 1500, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 1700, 1, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_int_equal(scene->broken, 1);
	assert_int_equal(scene->sum, 1000);
	assert_int_equal(scene->replay.length_ns, 1000);
	scene_end(scene);
}

/* Two threads that wake each other at one moment: the walk ends all the same. */
static void a_circle_of_wakings_ends(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1100, 1, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1500, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 1);
	say(scene, 1500, 1, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 0);
	say(scene, 1500, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_in_range(scene->sum, 400, 1000);
	scene_end(scene);
}

/* A birth that is reported late: its creator is known all the same. */
static void a_birth_may_be_reported_after_the_first_switch(void **state)
{
	struct scene *scene = scene_begin();

	say(scene, 1200, 1, SPROF_MOMENT_ON, 0, 0);
	say(scene, 1250, 1, SPROF_MOMENT_BORN, SPROF_WAKER_THREAD, 0);
	say(scene, 1300, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1900, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, 1);
	say(scene, 1900, 1, SPROF_MOMENT_ENDED, 0, 0);
	say(scene, 1900, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_int_equal(scene->sum, 1000);
	assert_int_equal(scene->lost + scene->broken + scene->sleeping, 0);
	scene_end(scene);
}

/*
 * Two threads share a CPU: 0 sleeps until 1200, and is ready while thread 1 runs until 1700. Without
 * the work of thread 1 it need not wait: no wait for a CPU remains of a run that is changed.
 */
static uint64_t kept_of_first(
	void *data, const struct sprof_critical_part *part, uint64_t from_ns, uint64_t to_ns)
{
	return part->thread ? 0 : to_ns - from_ns;
}

static void a_wait_for_a_cpu_is_other_threads_work(void **state)
{
	const struct sprof_critical_change change = {kept_of_first, NULL};
	struct scene *scene = scene_begin();
	struct sprof_critical_replay replay;

	say(scene, 1000, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 1000, 1, SPROF_MOMENT_BORN, SPROF_WAKER_THREAD, 0);
	say(scene, 1100, 0, SPROF_MOMENT_OFF, 0, 0);
	say(scene, 1100, 1, SPROF_MOMENT_ON, 0, 0);
	say(scene, 1200, 0, SPROF_MOMENT_WOKEN, SPROF_WAKER_INTERRUPT, 0);
	say(scene, 1700, 1, SPROF_MOMENT_ENDED, 0, 0);
	say(scene, 1700, 0, SPROF_MOMENT_ON, 0, 0);
	say(scene, 2000, 0, SPROF_MOMENT_ENDED, 0, 0);
	find_path(scene);
	assert_int_equal(scene->replay.length_ns, 1000);
	assert_int_equal(scene->queued, 500);
	assert_true(sprof_critical_replay_run(&scene->graph, &scene->end, &change, &replay));
	assert_int_equal(replay.length_ns, 500);
	sprof_critical_replay_finish(&replay);
	scene_end(scene);
}

static void nothing_has_no_path(void **state)
{
	struct sprof_critical_graph graph;

	assert_true(sprof_critical_graph_build(NULL, 0, 0, 100, &graph));
	assert_int_equal(
		sprof_critical_end_of(&graph, SPROF_CRITICAL_NONE).thread, SPROF_CRITICAL_NONE);
	assert_int_equal(sprof_critical_part_at(&graph, 0, 50), SPROF_CRITICAL_NONE);
	sprof_critical_graph_finish(&graph);
}

TEST_MAIN("critical")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slow_stage_of_a_pipeline_decides),
		cmocka_unit_test(a_lock_that_is_passed_on_decides),
		cmocka_unit_test(the_longest_task_of_a_fork_decides),
		cmocka_unit_test(each_phase_before_a_barrier_has_its_own_last_thread),
		cmocka_unit_test(a_timer_of_the_producer_decides),
		cmocka_unit_test(a_chain_of_locks_leads_to_the_work_behind_it),
		cmocka_unit_test(a_thread_without_moments_ran_if_it_woke_another_one),
		cmocka_unit_test(a_sleep_without_a_waker_in_the_target_is_on_the_path),
		cmocka_unit_test(a_missing_waking_is_a_sleep_of_unknown_end),
		cmocka_unit_test(a_waking_just_before_the_switch_ends_the_sleep),
		cmocka_unit_test(a_waking_long_before_the_switch_ends_no_sleep),
		cmocka_unit_test(lost_records_are_on_the_path_as_lost),
		cmocka_unit_test(a_waker_that_slept_breaks_the_path),
		cmocka_unit_test(a_circle_of_wakings_ends),
		cmocka_unit_test(a_birth_may_be_reported_after_the_first_switch),
		cmocka_unit_test(a_wait_for_a_cpu_is_other_threads_work),
		cmocka_unit_test(nothing_has_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
