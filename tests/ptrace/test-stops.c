/*
 * attach/target, stops of real processes: those that were asked for come as events, all others are
 * passed through, and nobody notices either.
 */
#include "attach/target.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/regs/regs.h"
#include "base/clock.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

static uint64_t limit_ns(void)
{
	return sprof_clock_now_ns() + scene_limit_ns();
}

/* Takes as many STOPPED events as there are threads, and leaves the threads stopped. */
static bool collect_all(struct scene *scene, void *unused)
{
	size_t missing = scene_thread_count(scene);

	while (missing) {
		struct sprof_event event = scene_next_event(scene, limit_ns());

		if (event.kind == SPROF_EVENT_TIMEOUT)
			return false;
		if (event.kind != SPROF_EVENT_STOPPED)
			sprof_event_answer(scene->target, &event);
		else if (event.thread->phase != SPROF_THREAD_STOPPED)
			return false;
		else
			missing--;
	}
	return true;
}

static void expect_state(pid_t pid, pid_t tid, void *letter)
{
	assert_int_equal(task_state(pid, tid), *(char *)letter);
}

static void every_thread_stops_and_goes_on(void **state)
{
	struct scene *scene = *state;
	char stopped = 't';

	scene_start(scene, "threads", "9");
	scene_attach(scene);
	for (int i = 0; i < 30; i++) {
		assert_true(scene_do(scene, scene_interrupt_all, NULL));
		assert_true(scene_do(scene, collect_all, NULL));
		assert_int_equal(for_each_task(scene->pid, expect_state, &stopped), 11);
		assert_true(scene_do(scene, scene_resume_all, NULL));
	}
	assert_int_equal(scene_count(scene, SPROF_EVENT_STOPPED), 30 * 11);
	scene_say(scene, "b");
	scene_expect_line(scene, "born ");
}

/*
 * A storm of signals and of stops at once: each signal is said once, and each stop that was asked
 * for comes once, whichever of the two the kernel reports for it.
 */
static void signals_that_meet_stops(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "signals", "spin");
	scene_attach(scene);
	for (int i = 0; i < 300; i++) {
		char expected[32];

		assert_int_equal(
			sigqueue(scene->pid, SIGRTMIN + 1, (union sigval){.sival_int = i}), 0);
		assert_true(scene_do(scene, scene_interrupt_all, NULL));
		assert_true(scene_do(scene, collect_all, NULL));
		assert_true(scene_do(scene, scene_resume_all, NULL));
		snprintf(expected, sizeof(expected), "rt1 %d", i);
		scene_expect_line(scene, expected);
		assert_string_equal(scene->line, expected);
	}
	assert_int_equal(scene_count(scene, SPROF_EVENT_STOPPED), 300);
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
}

static bool none_listens(struct scene *scene)
{
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase != SPROF_THREAD_RUNNING)
			return false;
	}
	return count > 0;
}

static void a_stopped_process_stays_stopped_until_it_is_continued(void **state)
{
	struct scene *scene = *state;

	scene_launch(scene, "stopped", NULL);
	scene_serve(scene, scene_all_listen);
	assert_int_equal(scene_thread_count(scene), 2);
	kill(scene->pid, SIGCONT);
	scene_expect_line(scene, "continued");
	scene_serve(scene, none_listens);
	/* And once more, from outside. */
	kill(scene->pid, SIGSTOP);
	scene_serve(scene, scene_all_listen);
	kill(scene->pid, SIGCONT);
	scene_serve(scene, none_listens);
	scene_say(scene, "count");
	scene_expect_line(scene, "count ");
}

/* Looking at a stopped thread does not let it go on. */
static void a_stopped_process_can_be_looked_at(void **state)
{
	struct scene *scene = *state;

	scene_launch(scene, "stopped", NULL);
	scene_serve(scene, scene_all_listen);
	for (int i = 0; i < 20; i++) {
		assert_true(scene_do(scene, scene_interrupt_all, NULL));
		assert_true(scene_do(scene, collect_all, NULL));
		assert_true(scene_do(scene, scene_resume_all, NULL));
		scene_serve(scene, scene_all_listen);
	}
	kill(scene->pid, SIGCONT);
	scene_expect_line(scene, "continued");
}

static bool wait_past(struct scene *scene, void *unused)
{
	uint64_t deadline = sprof_clock_now_ns() + 2 * SPROF_NS_PER_MS;
	struct sprof_event event = scene_next_event(scene, deadline);

	return event.kind == SPROF_EVENT_TIMEOUT && sprof_clock_now_ns() >= deadline;
}

static void a_deadline_is_kept(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "1");
	scene_attach(scene);
	assert_true(scene_do(scene, wait_past, NULL));
	/* A deadline that is behind already is no reason to wait. */
	assert_int_equal(scene_count(scene, SPROF_EVENT_TIMEOUT), 0);
}

static bool wait_for_signal(struct scene *scene, void *unused)
{
	struct sprof_event event = scene_next_event(scene, UINT64_MAX);

	return event.kind == SPROF_EVENT_SIGNAL && event.info.si_signo == SIGUSR2;
}

static void signals_to_us_are_handed_over(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "threads", "1");
	scene_attach(scene);
	kill(getpid(), SIGUSR2);
	assert_true(scene_do(scene, wait_for_signal, NULL));
}

static bool wait_in_vain(struct scene *scene, void *unused)
{
	return scene_next_event(scene, UINT64_MAX).kind == SPROF_EVENT_EMPTY;
}

static void without_threads_there_is_nothing_to_wait_for(void **state)
{
	assert_true(scene_do(*state, wait_in_vain, NULL));
	assert_true(scene_do(*state, wait_in_vain, NULL));
}

static bool interrupt_and_wait(struct scene *scene, void *unused)
{
	struct sprof_event event;

	if (!scene_interrupt_all(scene, NULL))
		return true; /* the kernel has no trace of it left */
	event = scene_next_event(scene, limit_ns());
	sprof_event_answer(scene->target, &event);
	return event.kind == SPROF_EVENT_ENDED;
}

/* A thread that has ended takes the request and never stops: its end is the answer. */
static void a_thread_that_has_ended_does_not_stop(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "signals", NULL);
	scene_attach(scene);
	kill(scene->pid, SIGKILL);
	wait_for_state(scene->pid, scene->pid, 'Z');
	assert_true(scene_do(scene, interrupt_and_wait, NULL));
	scene_serve(scene, scene_is_empty);
	assert_int_equal(scene_count(scene, SPROF_EVENT_ENDED), 1);
}

enum { STEPS = 500 };

/* Each step moves the thread, also those over a system call, and its end is an event and no signal. */
static bool step(struct scene *scene, void *unused)
{
	size_t count, moves = 0;
	struct sprof_thread *thread = sprof_target_threads(scene->target, &count)[0];
	struct sprof_regs regs;
	uint64_t pc = 0;

	thread->resumption = SPROF_RESUME_ONE_STEP;
	for (int i = 0; i < STEPS; i++) {
		sprof_thread_resume(thread);
		if (scene_next_event(scene, limit_ns()).kind != SPROF_EVENT_STOPPED ||
			thread->signal || !sprof_regs_read(thread->tid, &regs))
			return false;
		moves += regs.values[SPROF_REG_PC] != pc;
		pc = regs.values[SPROF_REG_PC];
	}
	thread->resumption = SPROF_RESUME_CONTINUE;
	return moves > STEPS / 2;
}

static void a_thread_goes_step_by_step(void **state)
{
	struct scene *scene = *state;

	scene_start(scene, "signals", "spin");
	scene_attach(scene);
	assert_true(scene_do(scene, scene_interrupt_all, NULL));
	assert_true(scene_do(scene, collect_all, NULL));
	assert_true(scene_do(scene, step, NULL));
	assert_true(scene_do(scene, scene_resume_all, NULL));
	/* And it knows nothing of it. */
	assert_int_equal(sigqueue(scene->pid, SIGRTMIN + 1, (union sigval){.sival_int = 7}), 0);
	scene_expect_line(scene, "rt1 7");
	scene_say(scene, NULL);
	scene_serve(scene, scene_is_empty);
}

struct registers {
	bool known;
	struct sprof_regs regs;
};

static bool read_registers(struct scene *scene, void *data)
{
	struct registers *registers = data;
	size_t count;
	struct sprof_thread **threads = sprof_target_threads(scene->target, &count);

	registers->known = count == 1 && sprof_regs_read(threads[0]->tid, &registers->regs);
	return true;
}

static void registers_of_a_stopped_thread(void **state)
{
	struct scene *scene = *state;
	struct registers registers;

	scene_start(scene, "signals", NULL);
	scene_attach(scene);
	scene_do(scene, read_registers, &registers);
	assert_false(registers.known); /* it is not stopped */
	scene_do(scene, scene_interrupt_all, NULL);
	scene_do(scene, collect_all, NULL);
	scene_do(scene, read_registers, &registers);
	assert_true(registers.known);
	assert_true(sprof_regs_has(&registers.regs, SPROF_REG_FP));
	assert_true(registers.regs.values[SPROF_REG_SP] % 8 == 0);
	assert_true(registers.regs.values[SPROF_REG_PC] > 4096);
}

/* The kernel gives the registers of 32-bit code in another, shorter shape: better none than
 * nonsense. */
static void registers_of_32_bit_code(void **state)
{
	struct scene *scene = *state;
	unsigned long code = 0;
	struct registers registers;

	scene_start(scene, "narrow", NULL);
	sscanf(scene->line, "ready %*d %lx", &code);
	if (!code)
		skip(); /* another machine */
	scene_attach(scene);
	do {
		scene_do(scene, scene_interrupt_all, NULL);
		scene_do(scene, collect_all, NULL);
		memset(&registers, 0xee, sizeof(registers));
		scene_do(scene, read_registers, &registers);
		scene_do(scene, scene_resume_all, NULL);
	} while (registers.known && registers.regs.values[SPROF_REG_PC] >> 32);
	if (registers.known)
		assert_int_equal(registers.regs.values[SPROF_REG_PC], code);
}

TEST_MAIN("stops")
{
#define traced(test) cmocka_unit_test_setup_teardown(test, scene_create, scene_destroy)
	const struct CMUnitTest tests[] = {
		traced(every_thread_stops_and_goes_on),
		traced(signals_that_meet_stops),
		traced(a_stopped_process_stays_stopped_until_it_is_continued),
		traced(a_stopped_process_can_be_looked_at),
		traced(a_deadline_is_kept),
		traced(signals_to_us_are_handed_over),
		traced(without_threads_there_is_nothing_to_wait_for),
		traced(a_thread_that_has_ended_does_not_stop),
		traced(a_thread_goes_step_by_step),
		traced(registers_of_a_stopped_thread),
		traced(registers_of_32_bit_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
