/*
 * Job control as a parent sees it: children that stop and go on, by each of the signals that do so,
 * alone and with threads. While one is stopped, nothing in it moves.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum { ROUNDS = 15, THREADS = 4 };

/* Shared with the child. */
static struct shared {
	atomic_ulong steps;
	atomic_int continued;
} * shared;

static void share(void)
{
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	MUST(shared != MAP_FAILED);
}

static void *step_on(void *unused)
{
	for (;;)
		atomic_fetch_add(&shared->steps, 1);
	return unused;
}

static int step_for_ever(void)
{
	step_on(NULL);
	return 0;
}

static int step_in_threads(void)
{
	for (int i = 1; i < THREADS; i++)
		thread_of(step_on);
	return step_for_ever();
}

static void note_continue(int number, siginfo_t *info, void *context)
{
	atomic_fetch_add(&shared->continued, 1);
}

static int step_and_note(void)
{
	handle(SIGCONT, note_continue, SA_RESTART);
	return step_for_ever();
}

/* Sleeps, with a count of the sleeps that were broken off. */
static int sleep_for_ever(void)
{
	const struct timespec nap = {.tv_sec = 100};

	atomic_fetch_add(&shared->steps, 1);
	for (;;) {
		nanosleep(&nap, NULL);
		atomic_fetch_add(&shared->continued, 1);
	}
	return 0;
}

static void wait_for_steps(unsigned long more)
{
	unsigned long until = atomic_load(&shared->steps) + more;

	while (atomic_load(&shared->steps) < until)
		burn_us(20);
}

/* The status of a child that has changed, without reaping it. */
static const char *change_of(pid_t child, int options)
{
	int status = 0;
	pid_t result;

	do {
		result = waitpid(child, &status, options);
	} while (result < 0 && errno == EINTR);
	MUST(result == child);
	return status_text(status);
}

static int stands_still(void)
{
	unsigned long before = atomic_load(&shared->steps);

	burn_us(3000);
	return atomic_load(&shared->steps) == before;
}

static const char *end(pid_t child)
{
	MUST(kill(child, SIGKILL) == 0);
	return status_text(reap(child));
}

/* In a group of its own: the terminal's signals don't stop an orphaned one. */
static pid_t grouped_child_of(int (*body)(void))
{
	pid_t child = child_of(body);

	MUST(setpgid(child, child) == 0);
	return child;
}

static int stop_and_go_on(int (*body)(void), int number)
{
	int still = 0, stops = 0, goes = 0;
	pid_t child;

	share();
	child = grouped_child_of(body);
	wait_for_steps(1000);
	for (int i = 0; i < ROUNDS; i++) {
		MUST(kill(child, number) == 0);
		stops += change_of(child, WUNTRACED)[0] == 's';
		still += stands_still();
		MUST(kill(child, SIGCONT) == 0);
		goes += change_of(child, WCONTINUED)[0] == 'c';
		wait_for_steps(1000);
	}
	target_print("%d stops, %d still, %d goes, %s", stops, still, goes, end(child));
	return 0;
}

static int stop_a_process(void)
{
	return stop_and_go_on(step_for_ever, SIGSTOP);
}

static int stop_threads(void)
{
	return stop_and_go_on(step_in_threads, SIGSTOP);
}

static int stop_by_terminal(void)
{
	return stop_and_go_on(step_for_ever, SIGTSTP);
}

static int stop_with_a_handler(void)
{
	int result = stop_and_go_on(step_and_note, SIGSTOP);

	target_print("%d SIGCONT handled", atomic_load(&shared->continued));
	return result;
}

static int each_stop_signal(void)
{
	static const int numbers[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
	pid_t child;

	share();
	child = grouped_child_of(step_for_ever);
	for (int i = 0; i < 4; i++) {
		kill(child, numbers[i]);
		target_print("%s", change_of(child, WUNTRACED));
		burn_us(3000);
		kill(child, SIGCONT);
		target_print("%s", change_of(child, WCONTINUED));
		burn_us(3000);
	}
	target_print("%s", end(child));
	return 0;
}

/* A sleep in a process that is stopped and goes on is not broken off. */
static int stop_a_sleeper(void)
{
	pid_t child;

	share();
	child = child_of(sleep_for_ever);
	while (atomic_load(&shared->steps) == 0)
		burn_us(100);
	for (int i = 0; i < ROUNDS; i++) {
		kill(child, SIGSTOP);
		change_of(child, WUNTRACED);
		burn_us(1500);
		kill(child, SIGCONT);
		change_of(child, WCONTINUED);
		burn_us(1500);
	}
	target_print("%d sleeps broken off, %s", atomic_load(&shared->continued), end(child));
	return 0;
}

static int stop_self(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		burn_us(500);
		raise(SIGSTOP);
	}
	return 7;
}

static int child_that_stops_itself(void)
{
	pid_t child = child_of(stop_self);
	int stops = 0;

	for (int i = 0; i < ROUNDS; i++) {
		stops += change_of(child, WUNTRACED)[0] == 's';
		burn_us(1500);
		MUST(kill(child, SIGCONT) == 0);
	}
	target_print("%d stops, %s", stops, status_text(reap(child)));
	return 0;
}

/* A stopped process that is killed, or is asked to end and goes on. */
static int end_of_stopped_ones(void)
{
	pid_t child;

	share();
	for (int i = 0; i < ROUNDS; i++) {
		child = child_of(i % 2 ? step_in_threads : step_for_ever);
		wait_for_steps(500);
		kill(child, SIGSTOP);
		change_of(child, WUNTRACED);
		burn_us(1200);
		if (i % 3) {
			kill(child, SIGTERM);
			burn_us(1200);
			kill(child, SIGCONT);
			target_print("%s", status_text(reap(child)));
		} else {
			target_print("%s", end(child));
		}
	}
	return 0;
}

static volatile sig_atomic_t stopped_told, continued_told, ended_told;

static void note_child(int number, siginfo_t *info, void *context)
{
	stopped_told += info->si_code == CLD_STOPPED && info->si_status == SIGSTOP;
	continued_told += info->si_code == CLD_CONTINUED && info->si_status == SIGCONT;
	ended_told += info->si_code == CLD_KILLED && info->si_status == SIGKILL;
}

static void wait_for_count(volatile sig_atomic_t *value, int until)
{
	while (*value < until)
		burn_us(50);
}

/* What SIGCHLD says about each change. */
static int sigchld_of_stops(void)
{
	pid_t child;

	share();
	handle(SIGCHLD, note_child, SA_RESTART);
	child = child_of(step_for_ever);
	for (int i = 1; i <= ROUNDS; i++) {
		kill(child, SIGSTOP);
		wait_for_count(&stopped_told, i);
		kill(child, SIGCONT);
		wait_for_count(&continued_told, i);
	}
	kill(child, SIGKILL);
	wait_for_count(&ended_told, 1);
	target_print("%d stopped, %d continued, %d ended", (int)stopped_told, (int)continued_told,
		(int)ended_told);
	reap(child);
	return 0;
}

const struct behaviour stop_behaviours[] = {
	{"stop-a-process", stop_a_process},
	{"stop-threads", stop_threads},
	{"stop-by-terminal", stop_by_terminal},
	{"stop-with-a-handler", stop_with_a_handler},
	{"each-stop-signal", each_stop_signal},
	{"stop-a-sleeper", stop_a_sleeper},
	{"child-that-stops-itself", child_that_stops_itself},
	{"end-of-stopped-ones", end_of_stopped_ones},
	{"sigchld-of-stops", sigchld_of_stops},
	{NULL, NULL},
};
