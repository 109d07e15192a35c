/*
 * attach/target, its end: whatever the tracing thread leaves behind when it ends, the program goes
 * on as if nobody had been there. ptrace(2), "Attaching and detaching"; kernel/ptrace.c,
 * exit_ptrace.
 */
#include "attach/target.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

static void end(struct scene *scene)
{
	scene_end_tracer(scene);
	wait_for_no_tracer(scene->pid);
}

static bool collect_one(struct scene *scene, void *unused)
{
	uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();

	return scene_next_event(scene, limit).kind == SPROF_EVENT_STOPPED;
}

/* Waits until a stop of the thread is there to be reported, without taking it. */
static void wait_for_uncollected_stop(const struct scene *scene)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)scene->pid, &info, WSTOPPED | WNOWAIT | __WALL), 0);
	assert_int_equal(info.si_code, CLD_TRAPPED);
}

static void threads_run_on(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "9");
	scene_attach(scene);
	end(scene);
	scene_say(scene, "b");
	scene_expect_line(scene, "born ");
}

static void a_program_that_was_launched_runs_on(void **state)
{
	struct scene *scene = *state;

	scene_launch(scene, "signals", NULL);
	end(scene);
	sigqueue(scene->pid, SIGRTMIN, (union sigval){.sival_int = 7});
	scene_expect_line(scene, "rt0 7");
}

/* Before its first instruction, too. */
static void a_program_that_was_never_resumed_runs_on(void **state)
{
	struct scene *scene = *state;

	assert_true(scene_try_launch(scene, "/bin/cat", NULL));
	end(scene);
	scene_say(scene, "hello");
	scene_expect_line(scene, "hello");
}

static void threads_that_we_hold_run_on(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "9");
	scene_attach(scene);
	assert_true(scene_do(scene, scene_interrupt_all, NULL));
	for (int i = 0; i < 5; i++)
		assert_true(scene_do(scene, collect_one, NULL));
	end(scene);
	scene_say(scene, "b");
	scene_expect_line(scene, "born ");
}

static void a_stop_that_nobody_took_leaves_no_trap(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "signals", NULL);
	scene_attach(scene);
	assert_true(scene_do(scene, scene_interrupt_all, NULL));
	wait_for_uncollected_stop(scene);
	end(scene);
	sigqueue(scene->pid, SIGUSR1, (union sigval){.sival_int = 8});
	scene_expect_line(scene, "usr1 8");
}

/* The signal has stopped the program on its way, and nobody is left to pass it on: the kernel does.
 */
static void a_signal_that_was_being_reported_is_delivered(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "signals", NULL);
	scene_attach(scene);
	sigqueue(scene->pid, SIGRTMIN + 2, (union sigval){.sival_int = 9});
	wait_for_uncollected_stop(scene);
	end(scene);
	scene_expect_line(scene, "rt2 9");
	assert_string_equal(scene->line, "rt2 9");
}

static void a_deadly_signal_that_was_being_reported_kills(void **state)
{
	struct scene *scene = *state;
	int status;

	scene_start(scene, "signals", NULL);
	scene_attach(scene);
	kill(scene->pid, SIGTERM);
	wait_for_uncollected_stop(scene);
	scene_end_tracer(scene);
	/* The kernel lets go a moment after the thread can be joined; until then waitpid() would take the stop. */
	wait_for_no_tracer(scene->pid);
	assert_int_equal(waitpid(scene->pid, &status, 0), scene->pid);
	scene->pid = 0;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void expect_stopped(pid_t pid, pid_t tid, void *unused)
{
	/* A moment after it has lost its tracer a thread finds its way from one stop to the other.
	 */
	wait_for_state(pid, tid, 'T');
}

static void a_stopped_process_stays_stopped(void **state)
{
	struct scene *scene = *state;

	scene_launch(scene, "stopped", NULL);
	scene_serve(scene, scene_all_listen);
	end(scene);
	assert_int_equal(for_each_task(scene->pid, expect_stopped, NULL), 2);
	kill(scene->pid, SIGCONT);
	scene_expect_line(scene, "continued");
}

static void a_stopped_process_that_we_attached_to_stays_stopped(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "stopped", NULL);
	wait_for_state(scene->pid, scene->pid, 'T');
	scene_attach(scene);
	scene_serve(scene, scene_all_listen);
	end(scene);
	assert_int_equal(for_each_task(scene->pid, expect_stopped, NULL), 2);
	kill(scene->pid, SIGCONT);
	scene_expect_line(scene, "continued");
}

/* Looked at in the very moment of the end. */
static void a_stopped_process_that_we_hold_stays_stopped(void **state)
{
	struct scene *scene = *state;

	scene_launch(scene, "stopped", NULL);
	scene_serve(scene, scene_all_listen);
	assert_true(scene_do(scene, scene_interrupt_all, NULL));
	assert_true(scene_do(scene, collect_one, NULL));
	end(scene);
	assert_int_equal(for_each_task(scene->pid, expect_stopped, NULL), 2);
	kill(scene->pid, SIGCONT);
	scene_expect_line(scene, "continued");
}

/* After the end there is room for the next tracer, at once and often. */
static void another_tracer_may_come(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "3");
	for (int i = 0; i < 50; i++) {
		scene_attach(scene);
		assert_int_equal(scene_thread_count(scene), 5);
		scene_replace_tracer(scene);
	}
	scene_say(scene, "b");
	scene_expect_line(scene, "born ");
}

TEST_MAIN("detach")
{
#define traced(test) cmocka_unit_test_setup_teardown(test, scene_create, scene_destroy)
	const struct CMUnitTest tests[] = {
		traced(threads_run_on),
		traced(a_program_that_was_launched_runs_on),
		traced(a_program_that_was_never_resumed_runs_on),
		traced(threads_that_we_hold_run_on),
		traced(a_stop_that_nobody_took_leaves_no_trap),
		traced(a_signal_that_was_being_reported_is_delivered),
		traced(a_deadly_signal_that_was_being_reported_kills),
		traced(a_stopped_process_stays_stopped),
		traced(a_stopped_process_that_we_attached_to_stays_stopped),
		traced(a_stopped_process_that_we_hold_stays_stopped),
		traced(another_tracer_may_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
