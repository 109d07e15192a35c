/*
 * attach/target, launch and seize on real processes: what is started ends as it would have, and
 * what is born meanwhile is found.
 */
#include "attach/target.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

static void launching_stops_at_the_first_instruction(void **state)
{
	struct scene *scene = *state;
	char name[64] = "";
	FILE *comm;

	assert_true(scene_try_launch(scene, "/bin/cat", NULL));
	assert_int_equal(scene_thread_count(scene), 1);
	assert_int_equal(task_state(scene->pid, scene->pid), 't');
	assert_int_equal(task_number(scene->pid, scene->pid, "TracerPid"), scene->tracer);
	snprintf(name, sizeof(name), "/proc/%d/comm", scene->pid);
	comm = fopen(name, "r");
	assert_non_null(comm);
	assert_non_null(fgets(name, sizeof(name), comm));
	fclose(comm);
	assert_string_equal(name, "cat\n");
}

static void launching_searches_the_path(void **state)
{
	assert_true(scene_try_launch(*state, "cat", NULL));
}

static void a_program_that_is_not_there(void **state)
{
	struct scene *scene = *state;

	assert_false(scene_try_launch(scene, "no-such-program-anywhere", NULL));
	assert_int_equal(scene->err.kind, SPROF_ERROR_NOT_FOUND);
	assert_non_null(strstr(scene->err.hint, "PATH"));
	assert_false(scene_try_launch(scene, "/no/such/program", NULL));
	assert_int_equal(scene->err.kind, SPROF_ERROR_NOT_FOUND);
	assert_string_equal(scene->err.hint, "");
}

static void a_program_that_can_not_be_executed(void **state)
{
	struct scene *scene = *state;

	assert_false(scene_try_launch(scene, "/etc/passwd", NULL));
	assert_int_equal(scene->err.kind, SPROF_ERROR_PERMISSION);
	assert_non_null(strstr(scene->err.hint, "chmod"));
	/* The child that tried is gone, and nothing is left to wait for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
}

/* Runs a program to its end; how it ended, as waitpid(2) would have said. */
static int status_of(struct scene *scene, const char *name, const char *argument)
{
	int status = -1;

	scene->seen_count = 0;
	scene_launch(scene, name, argument);
	scene_serve(scene, scene_is_empty);
	assert_true(sprof_target_ended(scene->target, &status));
	scene->pid = 0;
	return status;
}

static void exit_statuses_are_passed_on(void **state)
{
	static const int codes[] = {0, 1, 77, 255};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		char code[8];
		int status;

		snprintf(code, sizeof(code), "%d", codes[i]);
		status = status_of(*state, "exit-code", code);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), codes[i]);
	}
}

static void deadly_signals_are_passed_on(void **state)
{
	static const struct {
		const char *argument;
		int signal;
	} deaths[] = {{"15", SIGTERM}, {"9", SIGKILL}, {"6", SIGABRT}, {"2", SIGINT},
		{"fault", SIGSEGV}, {"1", SIGHUP}, {"64", 64}};

	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		int status = status_of(*state, "die-by", deaths[i].argument);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), deaths[i].signal);
	}
}

static void queue(const struct scene *scene, int signal, int value)
{
	assert_int_equal(sigqueue(scene->pid, signal, (union sigval){.sival_int = value}), 0);
}

/* Many at once, so that some are pending while another is reported. The sum tells each came once.
 */
static void signals_arrive_once_each_with_their_values(void **state)
{
	struct scene *scene = *state;
	int sum = 0;

	scene_launch(scene, "signals", NULL);
	queue(scene, SIGUSR1, 11);
	scene_expect_line(scene, "usr1 11");
	for (int i = 0; i < 5; i++) {
		queue(scene, SIGRTMIN, 20 + i);
		queue(scene, SIGRTMIN + 2, 40 + i);
	}
	for (int i = 0; i < 10; i++) {
		scene_expect_line(scene, "rt");
		assert_true(scene->line[2] == '0' || scene->line[2] == '2');
		sum += atoi(scene->line + strlen("rt0 "));
	}
	assert_int_equal(sum, 5 * 20 + 10 + 5 * 40 + 10);
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
}

static void threads_are_found_when_they_are_born(void **state)
{
	struct scene *scene = *state;

	scene_launch(scene, "births", NULL);
	for (uint32_t i = 0; i < 20; i++) {
		scene_say(scene, "thread");
		scene_expect_line(scene, "thread ");
		assert_int_equal(sprof_target_threads_seen(scene->target), 2 + i);
	}
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 21);
	assert_int_equal(sprof_target_processes_seen(scene->target), 1);
}

static bool has_seen_the_end_of(const struct scene *scene, pid_t tid)
{
	for (size_t i = 0; i < scene->seen_count; i++) {
		if (scene->seen[i].kind == SPROF_EVENT_ENDED && scene->seen[i].tid == tid)
			return true;
	}
	return false;
}

/* One child of each kind: how many processes and how many executions the tracer has seen then. */
static void bear_one_of_each(struct scene *scene, bool followed)
{
	static const char *const ways[] = {"fork", "vfork", "clone", "exec", "double"};

	scene_launch(scene, "births", NULL);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char word[16];
		int child, code;

		scene_say(scene, ways[i]);
		scene_expect_line(scene, ways[i]);
		assert_int_equal(sscanf(scene->line, "%15s %d %d", word, &child, &code), 3);
		assert_int_equal(code, 7);
		assert_int_equal(has_seen_the_end_of(scene, child), followed);
	}
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
}

static void children_of_every_kind_are_followed(void **state)
{
	struct scene *scene = *state;

	bear_one_of_each(scene, true);
	/* The program, its five children and one grandchild. */
	assert_int_equal(sprof_target_processes_seen(scene->target), 7);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 7);
	assert_int_equal(scene_count(scene, SPROF_EVENT_EXEC), 1);
}

static void children_of_no_kind_are_followed(void **state)
{
	struct scene *scene = *state;

	bear_one_of_each(scene, false);
	assert_int_equal(sprof_target_processes_seen(scene->target), 1);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 1);
	assert_int_equal(scene_count(scene, SPROF_EVENT_EXEC), 0);
}

static bool has_seen_many_threads(struct scene *scene)
{
	return sprof_target_threads_seen(scene->target) >= 3000;
}

/*
 * Many threads in no time: the stop of a new thread and the report of the one that made it come in
 * either order, and each thread is still found once.
 */
static void a_storm_of_threads(void **state)
{
	struct scene *scene = *state;
	unsigned long created, sum;

	scene_launch(scene, "storm", NULL);
	scene_serve(scene, has_seen_many_threads);
	scene_say(scene, NULL);
	scene_expect_line(scene, "created ");
	assert_int_equal(sscanf(scene->line, "created %lu sum %lu", &created, &sum), 2);
	assert_int_equal(created, sum);
	assert_int_equal(sprof_target_threads_seen(scene->target), created + 1);
	scene_serve(scene, scene_is_empty);
}

/* One report, if there is any. */
static bool serve_one(struct scene *scene, void *unused)
{
	struct sprof_event event = scene_next_event(scene, 0);

	sprof_event_answer(scene->target, &event);
	return true;
}

static pid_t only_child_of(pid_t pid)
{
	char path[64], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	return (pid_t)atoi(text);
}

/*
 * A process that has ended and is reaped before its creator's report of it is looked at is nobody's
 * thread any more: kept, it would be taken for the next one with its id.
 */
static void a_birth_that_is_reported_after_the_end(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "births", NULL);
	scene_attach(scene);
	for (int i = 0; i < 50; i++) {
		pid_t child;

		scene_say(scene, "fork");
		wait_for_state(scene->pid, scene->pid, 't');
		child = only_child_of(scene->pid);
		wait_for_state(child, child, 't');
		do
			scene_do(scene, serve_one, NULL);
		while (task_state(child, child) == 't');
		wait_for_state(child, child, 'Z');
		scene_expect_line(scene, "fork ");
		assert_int_equal(scene_thread_count(scene), 1);
	}
}

static bool find_workers(struct scene *scene, void *left_alone)
{
	size_t count;
	struct sprof_process *process = sprof_target_processes(scene->target, &count)[0];

	sprof_target_find_workers(scene->target, process);
	*(unsigned *)left_alone = process->untraced;
	return true;
}

/* Otherwise the next worker of the kernel would be taken for the thread, and not be searched for. */
static void a_thread_that_was_not_reported_yet_is_no_worker(void **state)
{
	struct scene *scene = *state;
	unsigned left_alone;

	scene_start(scene, "births", NULL);
	scene_attach(scene);
	scene_say(scene, "thread");
	wait_for_state(scene->pid, scene->pid, 't');
	scene_do(scene, find_workers, &left_alone);
	assert_int_equal(left_alone, 0);
	assert_int_equal(scene_thread_count(scene), 1);
	scene_expect_line(scene, "thread ");
}

static void expect_traced(pid_t pid, pid_t tid, void *data)
{
	assert_int_equal(task_number(pid, tid, "TracerPid"), *(pid_t *)data);
	assert_int_not_equal(task_state(pid, tid), 't');
}

static void attaching_seizes_every_thread_and_stops_none(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "49");
	scene_attach(scene);
	/* The leader, 49 that spin and one that sleeps. */
	assert_int_equal(for_each_task(scene->pid, expect_traced, &scene->tracer), 51);
	assert_int_equal(scene_thread_count(scene), 51);
	assert_int_equal(sprof_target_pid(scene->target), scene->pid);
}

static bool attach_again(struct scene *scene, void *pid)
{
	return sprof_target_attach(scene->target, *(pid_t *)pid, &scene->err);
}

static void note_other(pid_t pid, pid_t tid, void *data)
{
	if (tid != pid)
		*(pid_t *)data = tid;
}

/* The user may name any thread. */
static void attaching_to_a_thread_is_attaching_to_its_process(void **state)
{
	struct scene *scene = *state;
	pid_t thread = 0;

	scene_start(scene, "threads", "1");
	for_each_task(scene->pid, note_other, &thread);
	assert_true(scene_do(scene, attach_again, &thread));
	assert_int_equal(sprof_target_pid(scene->target), scene->pid);
	assert_int_equal(scene_thread_count(scene), 3);
}

/*
 * Threads that are born while the others are being seized are the kernel's to seize: being traced
 * already, by us, they are no reason to refuse the attach.
 */
static void attaching_in_a_storm_of_threads(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "storm", NULL);
	for (int i = 0; i < 300; i++) {
		scene_attach(scene);
		assert_true(scene_thread_count(scene) > 0);
		scene_replace_tracer(scene);
	}
	scene_say(scene, NULL);
	scene_expect_line(scene, "created ");
}

/*
 * An exec waits for all other threads to end, and for traced ones until they are reaped; a seize waits
 * for the exec to be over (kernel/ptrace.c, ptrace_attach: cred_guard_mutex). Neither may wait for the
 * other, and whatever the program is by then is traced.
 */
static void attaching_while_another_thread_executes_a_program(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "execs", NULL);
	for (int i = 0; i < 400; i++) {
		scene_attach(scene);
		assert_true(scene_thread_count(scene) > 0);
		assert_int_equal(task_number(scene->pid, scene->pid, "TracerPid"), scene->tracer);
		scene_replace_tracer(scene);
	}
	scene_say(scene, NULL);
}

static void attaching_to_what_is_not_there(void **state)
{
	struct scene *scene = *state;
	pid_t nobody = INT32_MAX;

	assert_false(scene_do(scene, attach_again, &nobody));
	assert_int_equal(scene->err.kind, SPROF_ERROR_TARGET_GONE);
}

TEST_MAIN("target")
{
#define traced(test) cmocka_unit_test_setup_teardown(test, scene_create, scene_destroy)
#define followed(test) cmocka_unit_test_setup_teardown(test, scene_create_following, scene_destroy)
	const struct CMUnitTest tests[] = {
		traced(launching_stops_at_the_first_instruction),
		traced(launching_searches_the_path),
		traced(a_program_that_is_not_there),
		traced(a_program_that_can_not_be_executed),
		traced(exit_statuses_are_passed_on),
		traced(deadly_signals_are_passed_on),
		traced(signals_arrive_once_each_with_their_values),
		traced(threads_are_found_when_they_are_born),
		followed(children_of_every_kind_are_followed),
		traced(children_of_no_kind_are_followed),
		traced(a_storm_of_threads),
		followed(a_birth_that_is_reported_after_the_end),
		traced(a_thread_that_was_not_reported_yet_is_no_worker),
		traced(attaching_seizes_every_thread_and_stops_none),
		traced(attaching_to_a_thread_is_attaching_to_its_process),
		traced(attaching_in_a_storm_of_threads),
		traced(attaching_while_another_thread_executes_a_program),
		traced(attaching_to_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
