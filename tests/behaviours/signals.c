/*
 * Signals that are sent: with values, in order, several deep, blocked, ignored, by timers, to
 * threads and groups. What a program does to itself by a fault is in faults.c.
 */
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum { ROUNDS = 40 };

static char heard[4096]; /* what the handlers noted, in their order */
static volatile sig_atomic_t count, wrong;
static volatile pid_t sender;

static void hear(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void hear(const char *format, ...)
{
	size_t length = strlen(heard);
	va_list args;

	va_start(args, format);
	vsnprintf(&heard[length], sizeof(heard) - length, format, args);
	va_end(args);
}

static void note_value(int number, siginfo_t *info, void *context)
{
	hear(" %d:%d", number - SIGRTMIN, info->si_value.sival_int);
	wrong += info->si_code != SI_QUEUE || info->si_pid != sender || info->si_uid != getuid();
	count++;
}

static void note_number(int number, siginfo_t *info, void *context)
{
	hear(" %d", number);
	count++;
}

static void count_it(int number, siginfo_t *info, void *context)
{
	count++;
}

static void queue(pid_t pid, int number, int value)
{
	MUST(sigqueue(pid, number, (union sigval){.sival_int = value}) == 0);
}

static int tell(void)
{
	target_print("%d heard, %d wrong:%s", (int)count, (int)wrong, heard);
	return 0;
}

static int queued_values(void)
{
	sender = getpid();
	for (int i = 0; i < 3; i++) {
		handle(SIGRTMIN + i, note_value, 0);
		block(SIGRTMIN + i);
	}
	for (int value = 0; value < 20; value++)
		queue(getpid(), SIGRTMIN + value % 3, value);
	burn_us(5000);
	for (int i = 0; i < 3; i++)
		unblock(SIGRTMIN + i);
	return tell();
}

static int send_values(void)
{
	for (int value = 0; value < 200; value++) {
		queue(getppid(), SIGRTMIN, value);
		burn_us(100);
	}
	return 0;
}

/* From another process, while this one computes: no value is lost, and none overtakes another. */
static int values_of_a_child(void)
{
	pid_t child;

	block(SIGRTMIN);
	handle(SIGRTMIN, note_value, SA_RESTART);
	child = child_of(send_values);
	sender = child;
	unblock(SIGRTMIN);
	reap(child);
	while (count < 200)
		burn_us(100);
	return tell();
}

/* All real-time signals at once, queued from the last to the first: the lowest comes first. */
static int real_time_order(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int number = SIGRTMAX; number >= SIGRTMIN; number--) {
		struct sigaction action = {.sa_sigaction = note_number, .sa_flags = SA_SIGINFO};

		sigfillset(&action.sa_mask);
		MUST(sigaction(number, &action, NULL) == 0);
		block(number);
		queue(getpid(), number, 1);
	}
	burn_us(3000);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return tell();
}

/* A standard signal that is pending already is not queued again. */
static int pending_once(void)
{
	handle(SIGUSR1, note_number, 0);
	for (int i = 0; i < ROUNDS; i++) {
		block(SIGUSR1);
		for (int j = 0; j < 5; j++)
			raise(SIGUSR1);
		burn_us(200);
		unblock(SIGUSR1);
	}
	return tell();
}

static int pending_set(void)
{
	const int numbers[] = {SIGUSR1, SIGTERM, SIGCHLD, SIGRTMIN + 4};
	char text[128] = "";
	sigset_t pending;

	for (int i = 0; i < 4; i++) {
		block(numbers[i]);
		raise(numbers[i]);
	}
	burn_us(5000);
	MUST(sigpending(&pending) == 0);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigismember(&pending, number) == 1)
			snprintf(&text[strlen(text)], sizeof(text) - strlen(text), " %d", number);
	}
	target_print("pending:%s", text);
	return 0;
}

static void deeper(int number, siginfo_t *info, void *context)
{
	hear(" <%d", number - SIGRTMIN);
	burn_us(300);
	if (number < SIGRTMIN + 10)
		raise(number + 1);
	hear(" %d>", number - SIGRTMIN);
	count++;
}

static int handlers_in_handlers(void)
{
	for (int i = 0; i <= 10; i++)
		handle(SIGRTMIN + i, deeper, 0);
	raise(SIGRTMIN);
	return tell();
}

/* What a program sends to itself may say anything, a tracer's event too (rt_sigqueueinfo(2)). */
static siginfo_t sent;

enum {
	KEPT = 48 /* bytes: struct kernel_siginfo; the rest is zero */
};

static void compare_siginfo(int number, siginfo_t *info, void *context)
{
	count++;
	wrong += memcmp(info, &sent, sizeof(sent)) != 0;
}

static void send_siginfo(int number, int code)
{
	sent = (siginfo_t){0};
	for (int i = 0; i < KEPT; i++)
		((unsigned char *)&sent)[i] = (unsigned char)(count + i + 1);
	sent.si_signo = number;
	sent.si_code = code;
	MUST(syscall(SYS_rt_sigqueueinfo, getpid(), number, &sent) == 0);
	burn_us(700);
}

static int siginfo_unchanged(void)
{
	const int numbers[] = {SIGUSR1, SIGTRAP, SIGCHLD, SIGSEGV, SIGTSTP, SIGRTMIN, SIGRTMAX};
	const int codes[] = {SI_QUEUE, SI_TKILL, -60, 1, 0x80 | SIGTRAP, SIGTRAP | 128 << 8};

	for (int i = 0; i < 7; i++) {
		handle(numbers[i], compare_siginfo, 0);
		for (int j = 0; j < 6; j++)
			send_siginfo(numbers[i], codes[j]);
	}
	return tell();
}

/* Calls that a signal without effect must not break off. */
static int send_ignored(void)
{
	for (int i = 0; i < 60; i++) {
		kill(getppid(), i % 2 ? SIGUSR1 : SIGWINCH);
		burn_us(500);
	}
	return 0;
}

static int ignored_in_calls(void)
{
	const struct timespec nap = {.tv_nsec = 3000000};
	int interrupted = 0;
	pid_t child;

	signal(SIGUSR1, SIG_IGN);
	child = child_of(send_ignored);
	for (int i = 0; i < 8; i++) {
		interrupted += nanosleep(&nap, NULL) < 0;
		interrupted += ppoll(NULL, 0, &nap, NULL) < 0;
	}
	target_print("interrupted %d, child: %s", interrupted, status_text(reap(child)));
	return 0;
}

/* Deliveries and overruns together are the clock's own count. */
static volatile sig_atomic_t overruns;

static void count_timer(int number, siginfo_t *info, void *context)
{
	count++;
	overruns += info->si_overrun;
	wrong += info->si_code != SI_TIMER;
}

static int timer_of_1_khz(void)
{
	struct itimerspec each = {{.tv_nsec = 1000000}, {.tv_nsec = 1000000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2};
	uint64_t begin, ms;
	timer_t timer;

	handle(SIGRTMIN + 2, count_timer, SA_RESTART);
	MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	begin = target_now_ns();
	MUST(timer_settime(timer, 0, &each, NULL) == 0);
	while (count + overruns < 150)
		burn_us(100);
	ms = (target_now_ns() - begin) / 1000000;
	timer_delete(timer);
	target_print("150 within their time: %d, wrong: %d", ms >= 149, (int)wrong);
	return 0;
}

/* CPU time's timer comes as often as CPU time passes. */
static int profiling_timer(void)
{
	const struct itimerval each = {{.tv_usec = 4000}, {.tv_usec = 4000}}, none = {{0}, {0}};

	handle(SIGPROF, count_it, SA_RESTART);
	MUST(setitimer(ITIMER_PROF, &each, NULL) == 0);
	while (count < 10)
		burn_us(100);
	MUST(setitimer(ITIMER_PROF, &none, NULL) == 0);
	target_print("ten came");
	return 0;
}

/* Each thread gets what is sent to it. */
static _Thread_local volatile sig_atomic_t mine;
static atomic_int ready_threads, go_on, good_threads;

static void count_mine(int number, siginfo_t *info, void *context)
{
	mine++;
}

static void *get_signals(void *data)
{
	atomic_fetch_add(&ready_threads, 1);
	while (mine < ROUNDS && atomic_load(&go_on) == 0)
		burn_us(50);
	atomic_fetch_add(&good_threads, mine == ROUNDS);
	return data;
}

static int signals_of_threads(void)
{
	pthread_t threads[4];

	handle(SIGRTMIN, count_mine, SA_RESTART);
	for (int i = 0; i < 4; i++)
		threads[i] = thread_of(get_signals);
	while (atomic_load(&ready_threads) < 4)
		burn_us(100);
	for (int i = 0; i < 4 * ROUNDS; i++)
		MUST(pthread_kill(threads[i % 4], SIGRTMIN) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	target_print("%d threads got theirs", atomic_load(&good_threads));
	return 0;
}

static int masks_and_flags(void)
{
	struct sigaction action = {
		.sa_sigaction = note_number, .sa_flags = SA_SIGINFO | SA_RESETHAND};
	struct sigaction now;

	for (int i = 0; i < ROUNDS / 4; i++) {
		MUST(sigaction(SIGUSR2, &action, NULL) == 0);
		raise(SIGUSR2);
		MUST(sigaction(SIGUSR2, NULL, &now) == 0);
		wrong += now.sa_handler != SIG_DFL;
		burn_us(1000);
	}
	return tell();
}

/* A signal to the whole process group, which this program leads. */
static int group_pipe[2];

static int wait_for_group(void)
{
	handle(SIGUSR1, count_it, 0);
	MUST(write(group_pipe[1], "x", 1) == 1);
	while (count == 0)
		burn_us(100);
	return 20 + count;
}

static int group_signal(void)
{
	pid_t children[5];
	char byte;

	MUST(setpgid(0, 0) == 0 || getpgrp() == getpid());
	MUST(pipe(group_pipe) == 0);
	handle(SIGUSR1, count_it, SA_RESTART);
	for (int i = 0; i < 5; i++)
		children[i] = child_of(wait_for_group);
	for (int i = 0; i < 5; i++)
		MUST(read(group_pipe[0], &byte, 1) == 1);
	MUST(kill(0, SIGUSR1) == 0);
	for (int i = 0; i < 5; i++)
		target_print("%s", status_text(reap(children[i])));
	target_print("own %d", (int)count);
	return 0;
}

const struct behaviour signal_behaviours[] = {
	{"queued-values", queued_values},
	{"values-of-a-child", values_of_a_child},
	{"real-time-order", real_time_order},
	{"pending-once", pending_once},
	{"pending-set", pending_set},
	{"handlers-in-handlers", handlers_in_handlers},
	{"siginfo-unchanged", siginfo_unchanged},
	{"ignored-in-calls", ignored_in_calls},
	{"timer-of-1-khz", timer_of_1_khz},
	{"profiling-timer", profiling_timer},
	{"signals-of-threads", signals_of_threads},
	{"masks-and-flags", masks_and_flags},
	{"group-signal", group_signal},
	{NULL, NULL},
};
