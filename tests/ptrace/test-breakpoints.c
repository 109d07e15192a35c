/*
 * attach/breakpoints with real processes: each call is one stop, results are the program's own, and its
 * code is the file's again once they are removed. Children have test-breakpoint-children.c. Which functions
 * there are: tests/targets/hits.c.
 */
#include "attach/breakpoints/breakpoints.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/ptrace/hits.h"
#include "tests/unit/check.h"

enum { THREADS = 4 };

/* Works. */

static bool restore(struct scene *scene, void *unused)
{
	sprof_breakpoints_restore(hits_process(scene));
	return true;
}

/* Serves the target until it has come to `*data` more breakpoints. */
static bool serve_hits(struct scene *scene, void *data)
{
	const size_t *wanted = data, end = scene->hits + *wanted;
	const uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();

	while (scene->hits < end && sprof_clock_now_ns() < limit) {
		const struct sprof_event event = scene_next_event(scene, limit);

		sprof_event_answer(scene->target, &event);
	}
	return scene->hits >= end;
}

/* Serves the target until a thread stops, which comes to a stop at each system call from then on. */
static bool stop_at_calls(struct scene *scene, void *unused)
{
	struct sprof_event event = {0};

	if (!scene_interrupt_all(scene, NULL))
		return false;
	while (event.kind != SPROF_EVENT_STOPPED)
		event = scene_next_event(scene, UINT64_MAX);
	event.thread->resumption = SPROF_RESUME_TO_CALL;
	sprof_event_answer(scene->target, &event);
	return true;
}

static bool stops_at_calls(struct scene *scene, void *unused)
{
	size_t count;

	return sprof_target_threads(scene->target, &count)[0]->resumption == SPROF_RESUME_TO_CALL;
}

static void call_in_threads(struct program *program, enum function function)
{
	char line[64];

	snprintf(line, sizeof(line), "call %d %d %d", function, CALLS, THREADS);
	scene_say(program->scene, line);
	hits_expect_result(program, THREADS * hits_sum_of(function, CALLS));
}

/* Tests. */

static void each_call_is_one_hit(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "call", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
	}
	hits_remove_and_compare(&program);
	hits_say(&program, "call", JUMP, CALLS);
	hits_expect_result(&program, hits_sum_of(JUMP, CALLS));
	assert_int_equal(hits_take(&program), 0);
}

/* What runs at its own place can be missed by the others. */
static void each_call_of_each_thread_is_one_hit(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		call_in_threads(&program, function);
		if (function != INDIRECT_CALL)
			assert_int_equal(hits_take(&program), CALLS * THREADS);
		else
			assert_in_range(hits_take(&program), 1, CALLS * THREADS);
	}
	hits_remove_and_compare(&program);
}

static void without_a_page_for_copies_all_run_at_their_place(void **state)
{
	struct program program = hits_attach(state);

	scene_say(program.scene, "filter");
	scene_expect_line(program.scene, "filtered");
	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "call", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
		call_in_threads(&program, function);
		assert_in_range(hits_take(&program), 1, CALLS * THREADS);
	}
	hits_remove_and_compare(&program);
}

/* A handler runs before the instruction, in its copy, behind it, or in another call. */
static void call_under_signals(struct program *program)
{
	for (enum function function = 0; function < OWN_TRAP; function++) {
		long calls = 10 * CALLS, handled = 0;

		hits_put(program, function);
		hits_say(program, "signals", function, calls);
		hits_expect_result(program, hits_sum_of(function, calls));
		assert_int_equal(sscanf(program->scene->line, "result %*d %ld", &handled), 1);
		assert_true(handled > 0);
		assert_int_equal(hits_take(program), calls + handled);
	}
	hits_remove_and_compare(program);
}

static void signals_lose_nothing(void **state)
{
	struct program program = hits_attach(state);

	call_under_signals(&program);
}

static void signals_lose_nothing_where_all_run_at_their_place(void **state)
{
	struct program program = hits_attach(state);

	scene_say(program.scene, "filter");
	scene_expect_line(program.scene, "filtered");
	call_under_signals(&program);
}

static void a_step_keeps_how_far_a_thread_goes(void **state)
{
	struct program program = hits_attach(state);

	hits_put(&program, INDIRECT_CALL);
	assert_true(scene_do(program.scene, stop_at_calls, NULL));
	hits_say(&program, "call", INDIRECT_CALL, 3);
	hits_expect_result(&program, hits_sum_of(INDIRECT_CALL, 3));
	assert_int_equal(hits_take(&program), 3);
	assert_true(scene_do(program.scene, stops_at_calls, NULL));
	hits_remove_and_compare(&program);
}

static void a_call_may_need_more_stack(void **state)
{
	struct program program = hits_attach(state);

	hits_put(&program, RELATIVE_CALL);
	hits_say(&program, "bottom", RELATIVE_CALL, 0);
	hits_expect_result(&program, RELATIVE_CALL);
	assert_int_equal(hits_take(&program), 1);
	hits_remove_and_compare(&program);
}

static void a_breakpoint_of_the_program_stays_its_own(void **state)
{
	struct program program = hits_attach(state);

	assert_false(scene_do(program.scene, hits_insert, &program.addresses[OWN_TRAP]));
	hits_remove_and_compare(&program);
}

static void code_that_took_the_place_of_other_code_stays(void **state)
{
	struct program program = hits_attach(state);
	uint64_t address;

	scene_say(program.scene, "change");
	scene_expect_line(program.scene, "mapped ");
	address = strtoull(strchr(program.scene->line, ' '), NULL, 16);
	assert_true(scene_do(program.scene, hits_insert, &address));
	scene_say(program.scene, "go on");
	scene_expect_line(program.scene, "changed");
	hits_remove_and_compare(&program);
	assert_true(scene_do(program.scene, restore, NULL));
	scene_say(program.scene, "go on");
	scene_expect_line(program.scene, "first byte 55");
}

static void what_was_removed_is_restored(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_remove_and_compare(&program);
		hits_say(&program, "call", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), 0);
		assert_true(scene_do(program.scene, restore, NULL));
		hits_say(&program, "call", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
	}
	hits_remove_and_compare(&program);
}

static void removed_while_threads_come_to_it(void **state)
{
	struct program program = hits_attach(state);

	for (int round = 0; round < 30; round++) {
		enum function function = (enum function)(round % OWN_TRAP);
		size_t hits = 50;

		hits_say(&program, "until", function, THREADS);
		scene_expect_line(program.scene, "calling");
		hits_put(&program, function);
		assert_true(scene_do(program.scene, serve_hits, &hits));
		hits_remove_and_compare(&program);
		scene_say(program.scene, "stop");
		scene_expect_line(program.scene, "called ");
		hits_remove_and_compare(&program);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_create_holding, scene_destroy)

TEST_MAIN("breakpoints")
{
	const struct CMUnitTest tests[] = {
		TEST(each_call_is_one_hit),
		TEST(each_call_of_each_thread_is_one_hit),
		TEST(without_a_page_for_copies_all_run_at_their_place),
		TEST(signals_lose_nothing),
		TEST(signals_lose_nothing_where_all_run_at_their_place),
		TEST(a_step_keeps_how_far_a_thread_goes),
		TEST(a_call_may_need_more_stack),
		TEST(a_breakpoint_of_the_program_stays_its_own),
		TEST(code_that_took_the_place_of_other_code_stays),
		TEST(what_was_removed_is_restored),
		TEST(removed_while_threads_come_to_it),
	};

	if (!sprof_breakpoints_are_possible()) {
		puts("this build has no breakpoints: it lacks libZydis, or x86-64");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
