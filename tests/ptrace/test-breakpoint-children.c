/*
 * Breakpoints and the children of a process: what was copied, what is shared, and what is let go.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "base/clock.h"
#include "base/proc.h"
#include "tests/ptrace/code.h"
#include "tests/ptrace/hits.h"
#include "tests/unit/check.h"

enum { INT3 = 0xcc };

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
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "fork", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
		assert_int_equal(
			byte_at(child_of(program.scene), program.addresses[function]), INT3);
		assert_true(scene_do(program.scene, hits_remove_all, NULL));
		expect_code_of_files(child_of(program.scene));
		scene_say(program.scene, "end");
		scene_expect_line(program.scene, "waited");
		hits_remove_and_compare(&program);
	}
}

/* It is born before a thread of its parent, which has come to the breakpoint first, is served. What that
 * thread needs to go past is not in the child's memory. */
static void a_child_may_be_older_than_its_parents_copies(void **state)
{
	struct program program = hits_attach(state);
	const pid_t pid = program.scene->pid;

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "beside", function, CALLS);
		scene_expect_line(program.scene, "waiting");
		scene_say(program.scene, "go");
		wait_for_state(pid, pid, 't');
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS + 1);
		scene_say(program.scene, "end");
		scene_expect_line(program.scene, "waited");
	}
	hits_remove_and_compare(&program);
}

/* Its parent is none of the target's. */
static void a_sibling_has_its_creators_breakpoints(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "sibling", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
	}
	hits_remove_and_compare(&program);
}

static void a_cleaned_child_has_none(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "call", function, 1);
		hits_expect_result(&program, hits_sum_of(function, 1));
		assert_int_equal(hits_take(&program), 1);
		hits_say(&program, "fork", function, CALLS);
		assert_true(scene_do(program.scene, clean_child, NULL));
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), 0);
		expect_code_of_files(child_of(program.scene));
		assert_int_equal(byte_at(program.scene->pid, program.addresses[function]), INT3);
		scene_say(program.scene, "end");
		scene_expect_line(program.scene, "waited");
	}
	hits_remove_and_compare(&program);
}

/* Before its exec it has its parent's memory, and no breakpoints behind it. */
static void a_vfork_child_shares_them(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "vfork", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
		scene_expect_line(program.scene, "waited");
		hits_say(&program, "call", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
	}
	hits_remove_and_compare(&program);
}

static void a_spawned_program_has_none(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++) {
		hits_put(&program, function);
		hits_say(&program, "spawn", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		scene_expect_line(program.scene, "waited");
		assert_int_equal(hits_take(&program), 0);
		hits_say(&program, "call", function, CALLS);
		hits_expect_result(&program, hits_sum_of(function, CALLS));
		assert_int_equal(hits_take(&program), CALLS);
	}
	hits_remove_and_compare(&program);
}

static void an_exec_drops_them(void **state)
{
	struct program program = hits_attach(state);

	for (enum function function = 0; function < OWN_TRAP; function++)
		hits_put(&program, function);
	hits_say(&program, "exec", ONE_BYTE, CALLS);
	hits_expect_result(&program, hits_sum_of(ONE_BYTE, CALLS));
	assert_int_equal(hits_take(&program), 0);
	scene_serve(program.scene, scene_is_empty);
}

static uint64_t program_start(pid_t pid)
{
	FILE *maps = fopen(sprof_proc_path(pid, 0, "maps").text, "r");
	unsigned long start;

	assert_non_null(maps);
	assert_int_equal(fscanf(maps, "%lx", &start), 1);
	fclose(maps);
	return start;
}

/* The tracer inserts one when the kernel has executed the new program, and has not reported that yet. */
static void an_exec_drops_one_of_the_new_program(void **state)
{
	struct program program = hits_attach(state);
	const pid_t pid = program.scene->pid;
	uint64_t address = program.addresses[ONE_BYTE] - program_start(pid);

	hits_say(&program, "exec", ONE_BYTE, CALLS);
	wait_for_state(pid, pid, 't');
	address += program_start(pid);
	assert_true(scene_do(program.scene, hits_insert, &address));
	assert_int_equal(byte_at(pid, address), INT3);
	hits_expect_result(&program, hits_sum_of(ONE_BYTE, CALLS));
	assert_int_equal(hits_take(&program), 0);
	scene_serve(program.scene, scene_is_empty);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_create_holding, scene_destroy)

TEST_MAIN("breakpoint-children")
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_has_its_parents_breakpoints),
		TEST(a_child_may_be_older_than_its_parents_copies),
		TEST(a_sibling_has_its_creators_breakpoints),
		TEST(a_cleaned_child_has_none),
		TEST(a_vfork_child_shares_them),
		TEST(a_spawned_program_has_none),
		TEST(an_exec_drops_them),
		TEST(an_exec_drops_one_of_the_new_program),
	};

	if (!sprof_breakpoints_are_possible()) {
		puts("this build has no breakpoints: it lacks libZydis, or x86-64");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
