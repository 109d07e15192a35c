/*
 * attach/target, when a thread executes a program: which thread goes on, which ids it gives back, and what
 * is read of the new program.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

struct executed {
	uint32_t former_id;
	pid_t former_tid;
};

static bool find_former(struct scene *scene, void *data)
{
	struct executed *executed = data;
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	for (size_t i = 0; i < count; i++) {
		if (threads[i]->tid == executed->former_tid)
			executed->former_id = threads[i]->id;
	}
	return executed->former_id != 0;
}

static const struct seen *find_seen(const struct scene *scene, enum sprof_event_kind kind)
{
	for (size_t i = 0; i < scene->seen_count; i++) {
		if (scene->seen[i].kind == kind)
			return &scene->seen[i];
	}
	return NULL;
}

static bool has_executed(struct scene *scene)
{
	return find_seen(scene, SPROF_EVENT_EXEC);
}

/* The thread goes on under the process's id and stays the same thread of ours; all others have
 * ended. */
static void exec_by_a_thread_that_is_not_the_leader(void **state)
{
	struct scene *scene = *state;
	struct executed executed = {0};
	const struct seen *seen;

	scene_launch(scene, "exec-thread", NULL);
	scene_expect_line(scene, "thread ");
	executed.former_tid = (pid_t)atoi(scene->line + strlen("thread "));
	assert_true(scene_do(scene, find_former, &executed));
	scene_say(scene, "go");
	scene_expect_line(scene, "ready ");
	assert_int_equal(atoi(scene->line + strlen("ready ")), scene->pid);
	/* The new program may have said so before we have heard of it. */
	scene_serve(scene, has_executed);
	seen = find_seen(scene, SPROF_EVENT_EXEC);
	assert_non_null(seen);
	assert_int_equal(seen->tid, scene->pid);
	assert_int_equal(seen->id, executed.former_id);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 2);
	assert_int_equal(scene_thread_count(scene), 1);
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 3);
	assert_true(sprof_target_ended(scene->target, &(int){0}));
}

static bool has_both(struct scene *scene)
{
	return scene_count(scene, SPROF_EVENT_EXEC) && scene_thread_count(scene) == 3;
}

static bool is_of_its_own(struct scene *scene, void *data)
{
	const struct executed *executed = data;
	const struct sprof_thread *thread = sprof_target_find(scene->target, executed->former_tid);

	return thread && thread->id != executed->former_id &&
		thread->process->pid == executed->former_tid;
}

/* The right to write the last id is the one that clone3(2) asks for: pid_namespaces(7). Writes what is there. */
static bool may_choose_ids(void)
{
	char text[32];
	const int file = open("/proc/sys/kernel/ns_last_pid", O_RDWR | O_CLOEXEC);
	const ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text));
	const bool may = length > 0 && pwrite(file, text, (size_t)length, 0) == length;

	if (file >= 0)
		close(file);
	return may;
}

/* It has given its id back, but has not reported the exec, when another one is born with that id. */
static void an_id_that_an_exec_gives_back_is_another_thread(void **state)
{
	struct scene *scene = *state;
	struct executed executed = {0};
	const struct seen *seen;
	pid_t pid;

	if (!may_choose_ids())
		skip();
	scene_launch(scene, "exec-reused", NULL);
	scene_expect_line(scene, "thread ");
	assert_int_equal(sscanf(scene->line, "thread %d %d", &pid, &executed.former_tid), 2);
	assert_true(scene_do(scene, find_former, &executed));
	scene_say(scene, "go");
	scene_serve(scene, has_both);
	seen = find_seen(scene, SPROF_EVENT_EXEC);
	assert_int_equal(seen->tid, pid);
	assert_int_equal(seen->id, executed.former_id);
	assert_true(scene_do(scene, is_of_its_own, &executed));
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 4);
}

static void expect_mappings(struct scene *scene, size_t least)
{
	scene_launch(scene, "exec-thread", NULL);
	scene_expect_line(scene, "thread ");
	scene_say(scene, "go");
	scene_serve(scene, has_executed);
	assert_true(find_seen(scene, SPROF_EVENT_EXEC)->mappings >= least);
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
}

/* Even if it ends before anybody takes the report. */
static void a_new_program_has_its_mappings_at_once(void **state)
{
	expect_mappings(*state, 3);
}

static void nobody_waits_for_mappings_that_are_not_wanted(void **state)
{
	struct scene *scene = *state;

	expect_mappings(scene, 0);
	assert_int_equal(find_seen(scene, SPROF_EVENT_EXEC)->mappings, 0);
}

TEST_MAIN("exec")
{
#define traced(test) cmocka_unit_test_setup_teardown(test, scene_create, scene_destroy)
#define reading(test) cmocka_unit_test_setup_teardown(test, scene_create_reading, scene_destroy)
#define followed(test) cmocka_unit_test_setup_teardown(test, scene_create_following, scene_destroy)
	const struct CMUnitTest tests[] = {
		traced(exec_by_a_thread_that_is_not_the_leader),
		followed(an_id_that_an_exec_gives_back_is_another_thread),
		reading(a_new_program_has_its_mappings_at_once),
		traced(nobody_waits_for_mappings_that_are_not_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
