/*
 * attach/breakpoints with real processes: each call is one stop, results are the program's own, and its
 * code is the file's again once they are removed. Which functions there are: tests/targets/hits.c.
 */
#include "attach/breakpoints.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "tests/ptrace/code.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

/* The order of the target's ready line. */
enum function {
	ONE_BYTE,
	RIP_RELATIVE,
	JUMP,
	RELATIVE_CALL,
	BRANCH,
	INDIRECT_CALL,
	OWN_TRAP,
	ADDRESSES
};

enum { CALLS = 1000, THREADS = 4, INT3 = 0xcc };

struct program {
	struct scene *scene;
	uint64_t addresses[ADDRESSES];
};

static struct program attach(void **state)
{
	struct program program = {.scene = *state};
	char *at;

	scene_start(program.scene, "hits", NULL);
	at = strchr(program.scene->line, ' ');
	strtol(at, &at, 10);
	for (int i = 0; i < ADDRESSES; i++)
		program.addresses[i] = strtoull(at, &at, 16);
	scene_attach(program.scene);
	return program;
}

/* Works. */

static struct sprof_process *first_process(const struct scene *scene)
{
	size_t count;

	return sprof_target_processes(scene->target, &count)[0];
}

static bool insert(struct scene *scene, void *data)
{
	const uint64_t *address = data;

	return sprof_breakpoint_insert(first_process(scene), *address, 1);
}

static bool remove_all(struct scene *scene, void *unused)
{
	size_t count;
	struct sprof_process **processes = sprof_target_processes(scene->target, &count);

	for (size_t i = 0; i < count; i++)
		sprof_breakpoints_remove(processes[i]);
	return true;
}

static bool restore(struct scene *scene, void *unused)
{
	sprof_breakpoints_restore(first_process(scene));
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

/* Serves the target until a child is born; its breakpoints are removed before it runs. */
static bool clean_child(struct scene *scene, void *unused)
{
	const uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();

	while (sprof_clock_now_ns() < limit) {
		const struct sprof_event event = scene_next_event(scene, limit);
		const bool is_born =
			event.kind == SPROF_EVENT_HELD && event.held == SPROF_HELD_BORN;

		if (is_born)
			sprof_breakpoints_remove(event.thread->process);
		sprof_event_answer(scene->target, &event);
		if (is_born)
			return true;
	}
	return false;
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

static void remove_and_compare(struct program *program)
{
	assert_true(scene_do(program->scene, remove_all, NULL));
	expect_code_of_files(program->scene->pid);
}

/* What the program is told, and says. */

static void put(struct program *program, enum function function)
{
	assert_true(scene_do(program->scene, insert, &program->addresses[function]));
}

static void say(struct program *program, const char *what, enum function function, long calls)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %d %ld", what, function, calls);
	scene_say(program->scene, line);
}

static long sum_of(enum function function, long calls)
{
	return calls * (calls - 1) / 2 + calls * function;
}

static void expect_result(struct program *program, long sum)
{
	char line[64];

	snprintf(line, sizeof(line), "result %ld", sum);
	scene_expect_line(program->scene, line);
	assert_int_equal(strncmp(program->scene->line, line, strlen(line)), 0);
}

/* The hits since the last time. */
static size_t take_hits(struct program *program)
{
	const size_t hits = program->scene->hits;

	program->scene->hits = 0;
	return hits;
}

static void call_in_threads(struct program *program, enum function function)
{
	char line[64];

	snprintf(line, sizeof(line), "call %d %d %d", function, CALLS, THREADS);
	scene_say(program->scene, line);
	expect_result(program, THREADS * sum_of(function, CALLS));
}

/* Tests. */

static void each_call_is_one_hit(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		say(&program, "call", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
	}
	remove_and_compare(&program);
	say(&program, "call", JUMP, CALLS);
	expect_result(&program, sum_of(JUMP, CALLS));
	assert_int_equal(take_hits(&program), 0);
}

/* What runs at its own place can be missed by the others. */
static void each_call_of_each_thread_is_one_hit(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		call_in_threads(&program, function);
		if (function != INDIRECT_CALL)
			assert_int_equal(take_hits(&program), CALLS * THREADS);
		else
			assert_in_range(take_hits(&program), 1, CALLS * THREADS);
	}
	remove_and_compare(&program);
}

static void without_a_page_for_copies_all_run_at_their_place(void **state)
{
	struct program program = attach(state);

	scene_say(program.scene, "filter");
	scene_expect_line(program.scene, "filtered");
	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		say(&program, "call", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
		call_in_threads(&program, function);
		assert_in_range(take_hits(&program), 1, CALLS * THREADS);
	}
	remove_and_compare(&program);
}

/* A handler runs before the instruction, in its copy, behind it, or in another call. */
static void call_under_signals(struct program *program)
{
	for (enum function function = 0; function < OWN_TRAP; function++) {
		long calls = 10 * CALLS, handled = 0;

		put(program, function);
		say(program, "signals", function, calls);
		expect_result(program, sum_of(function, calls));
		assert_int_equal(sscanf(program->scene->line, "result %*d %ld", &handled), 1);
		assert_true(handled > 0);
		assert_int_equal(take_hits(program), calls + handled);
	}
	remove_and_compare(program);
}

static void signals_lose_nothing(void **state)
{
	struct program program = attach(state);

	call_under_signals(&program);
}

static void signals_lose_nothing_where_all_run_at_their_place(void **state)
{
	struct program program = attach(state);

	scene_say(program.scene, "filter");
	scene_expect_line(program.scene, "filtered");
	call_under_signals(&program);
}

static void a_step_keeps_how_far_a_thread_goes(void **state)
{
	struct program program = attach(state);

	put(&program, INDIRECT_CALL);
	assert_true(scene_do(program.scene, stop_at_calls, NULL));
	say(&program, "call", INDIRECT_CALL, 3);
	expect_result(&program, sum_of(INDIRECT_CALL, 3));
	assert_int_equal(take_hits(&program), 3);
	assert_true(scene_do(program.scene, stops_at_calls, NULL));
	remove_and_compare(&program);
}

static void a_call_may_need_more_stack(void **state)
{
	struct program program = attach(state);

	put(&program, RELATIVE_CALL);
	say(&program, "bottom", RELATIVE_CALL, 0);
	expect_result(&program, RELATIVE_CALL);
	assert_int_equal(take_hits(&program), 1);
	remove_and_compare(&program);
}

static void a_breakpoint_of_the_program_stays_its_own(void **state)
{
	struct program program = attach(state);

	assert_false(scene_do(program.scene, insert, &program.addresses[OWN_TRAP]));
	remove_and_compare(&program);
}

static void code_that_took_the_place_of_other_code_stays(void **state)
{
	struct program program = attach(state);
	uint64_t address;

	scene_say(program.scene, "change");
	scene_expect_line(program.scene, "mapped ");
	address = strtoull(strchr(program.scene->line, ' '), NULL, 16);
	assert_true(scene_do(program.scene, insert, &address));
	scene_say(program.scene, "go on");
	scene_expect_line(program.scene, "changed");
	remove_and_compare(&program);
	assert_true(scene_do(program.scene, restore, NULL));
	scene_say(program.scene, "go on");
	scene_expect_line(program.scene, "first byte 55");
}

static void what_was_removed_is_restored(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		remove_and_compare(&program);
		say(&program, "call", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), 0);
		assert_true(scene_do(program.scene, restore, NULL));
		say(&program, "call", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
	}
	remove_and_compare(&program);
}

static void removed_while_threads_come_to_it(void **state)
{
	struct program program = attach(state);

	for (int round = 0; round < 30; round++) {
		enum function function = (enum function)(round % OWN_TRAP);
		size_t hits = 50;

		say(&program, "until", function, THREADS);
		scene_expect_line(program.scene, "calling");
		put(&program, function);
		assert_true(scene_do(program.scene, serve_hits, &hits));
		remove_and_compare(&program);
		scene_say(program.scene, "stop");
		scene_expect_line(program.scene, "called ");
		remove_and_compare(&program);
	}
}

static uint8_t byte_at(pid_t pid, uint64_t address)
{
	const int memory = open(sprof_proc_path(pid, 0, "mem").text, O_RDONLY | O_CLOEXEC);
	uint8_t byte;

	assert_int_equal(pread(memory, &byte, 1, (off_t)address), 1);
	close(memory);
	return byte;
}

/* The process that the first one has started. */
static pid_t child_of(const struct scene *scene)
{
	size_t count;
	struct sprof_process **processes = sprof_target_processes(scene->target, &count);

	assert_int_equal(count, 2);
	return processes[processes[0]->pid == scene->pid]->pid;
}

static void a_child_has_its_parents_breakpoints(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		say(&program, "fork", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
		assert_int_equal(
			byte_at(child_of(program.scene), program.addresses[function]), INT3);
		assert_true(scene_do(program.scene, remove_all, NULL));
		expect_code_of_files(child_of(program.scene));
		scene_say(program.scene, "end");
		scene_expect_line(program.scene, "waited");
		remove_and_compare(&program);
	}
}

static void a_cleaned_child_has_none(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		say(&program, "call", function, 1);
		expect_result(&program, sum_of(function, 1));
		assert_int_equal(take_hits(&program), 1);
		say(&program, "fork", function, CALLS);
		assert_true(scene_do(program.scene, clean_child, NULL));
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), 0);
		expect_code_of_files(child_of(program.scene));
		assert_int_equal(byte_at(program.scene->pid, program.addresses[function]), INT3);
		scene_say(program.scene, "end");
		scene_expect_line(program.scene, "waited");
	}
	remove_and_compare(&program);
}

/* Before its exec it has its parent's memory, and no breakpoints behind it. */
static void a_vfork_child_shares_them(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		say(&program, "vfork", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
		scene_expect_line(program.scene, "waited");
		say(&program, "call", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
	}
	remove_and_compare(&program);
}

static void a_spawned_program_has_none(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		put(&program, function);
		say(&program, "spawn", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		scene_expect_line(program.scene, "waited");
		assert_int_equal(take_hits(&program), 0);
		say(&program, "call", function, CALLS);
		expect_result(&program, sum_of(function, CALLS));
		assert_int_equal(take_hits(&program), CALLS);
	}
	remove_and_compare(&program);
}

static void an_exec_drops_them(void **state)
{
	struct program program = attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++)
		put(&program, function);
	say(&program, "exec", ONE_BYTE, CALLS);
	expect_result(&program, sum_of(ONE_BYTE, CALLS));
	assert_int_equal(take_hits(&program), 0);
	scene_serve(program.scene, scene_is_empty);
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
		TEST(a_child_has_its_parents_breakpoints),
		TEST(a_cleaned_child_has_none),
		TEST(a_vfork_child_shares_them),
		TEST(a_spawned_program_has_none),
		TEST(an_exec_drops_them),
	};

	if (!sprof_breakpoints_are_possible()) {
		puts("this build has no breakpoints: it lacks libZydis, or x86-64");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
