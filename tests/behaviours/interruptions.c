/*
 * Signals and the calls that wait: which a signal breaks off, how often, and which wait for signals
 * and nothing else.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum { ROUNDS = 40 };

static volatile sig_atomic_t count;

static void count_it(int number, siginfo_t *info, void *context)
{
	count++;
}

static void queue(pid_t pid, int number, int value)
{
	MUST(sigqueue(pid, number, (union sigval){.sival_int = value}) == 0);
}

/* The calls that unblock signals while they wait: each signal breaks off exactly one, and nothing else does. */
static int ack[2];

static int send_and_wait(void)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		MUST(kill(getppid(), SIGUSR1) == 0);
		MUST(read(ack[0], &byte, 1) == 1);
		burn_us(200);
	}
	return 0;
}

static int broken_off(int (*wait)(const sigset_t *mask))
{
	int interrupted = 0, other = 0;
	sigset_t mask;
	pid_t child;

	MUST(pipe(ack) == 0);
	handle(SIGUSR1, count_it, SA_RESTART);
	block(SIGUSR1);
	sigemptyset(&mask);
	child = child_of(send_and_wait);
	while (count < ROUNDS) {
		const int before = (int)count;

		if (wait(&mask) < 0 && errno == EINTR)
			interrupted++;
		else
			other++;
		burn_us(300);
		MUST(count == before || write(ack[1], "x", 1) == 1);
	}
	target_print("%d signals, %d EINTR, %d others, %s", (int)count, interrupted, other,
		status_text(reap(child)));
	return 0;
}

static int wait_ppoll(const sigset_t *mask)
{
	return ppoll(NULL, 0, NULL, mask);
}

static int wait_pselect(const sigset_t *mask)
{
	return pselect(0, NULL, NULL, NULL, NULL, mask);
}

static int wait_epoll(const sigset_t *mask)
{
	static int epoll;
	struct epoll_event event;

	if (epoll == 0)
		epoll = epoll_create1(0);
	return epoll_pwait(epoll, &event, 1, -1, mask);
}

static int eintr_of_sigsuspend(void)
{
	return broken_off(sigsuspend);
}

static int eintr_of_ppoll(void)
{
	return broken_off(wait_ppoll);
}

static int eintr_of_pselect(void)
{
	return broken_off(wait_pselect);
}

static int eintr_of_epoll_pwait(void)
{
	return broken_off(wait_epoll);
}

/* SA_RESTART: read() goes on as if nothing had been. */
static int signal_while_reading(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		kill(getppid(), SIGUSR1);
		burn_us(500);
	}
	return write(ack[1], "end", 3) == 3 ? 0 : 1;
}

static int restarted_read(void)
{
	char text[4] = "";
	pid_t child;

	MUST(pipe(ack) == 0);
	handle(SIGUSR1, count_it, SA_RESTART);
	child = child_of(signal_while_reading);
	MUST(read(ack[0], text, 3) == 3);
	target_print("%s, %s, some signals: %d", text, status_text(reap(child)), count > 0);
	return 0;
}

static int queue_for_wait(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		queue(getppid(), SIGRTMIN + 1, i);
		burn_us(i % 3 ? 1000 : 10);
	}
	return 0;
}

static int wait_for_values(bool timed)
{
	const struct timespec timeout = {.tv_sec = 20};
	int sum = 0, interrupted = 0;
	siginfo_t info;
	sigset_t set;
	pid_t child;

	block(SIGRTMIN + 1);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	child = child_of(queue_for_wait);
	for (int i = 0; i < ROUNDS; i++) {
		if ((timed ? sigtimedwait(&set, &info, &timeout) : sigwaitinfo(&set, &info)) < 0)
			interrupted++;
		else
			sum += info.si_value.sival_int == i && info.si_pid == child;
		burn_us(200);
	}
	target_print("%d right, %d EINTR, %s", sum, interrupted, status_text(reap(child)));
	return 0;
}

static int sigwaitinfo_values(void)
{
	return wait_for_values(false);
}

static int sigtimedwait_values(void)
{
	return wait_for_values(true);
}

static int signalfd_values(void)
{
	struct signalfd_siginfo info;
	int right = 0, fd;
	sigset_t set;
	pid_t child;

	block(SIGRTMIN + 1);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	child = child_of(queue_for_wait);
	for (int i = 0; i < ROUNDS; i++) {
		MUST(read(fd, &info, sizeof(info)) == sizeof(info));
		right += info.ssi_int == i && (pid_t)info.ssi_pid == child;
	}
	target_print("%d right, %s", right, status_text(reap(child)));
	return 0;
}

/* A signal without any effect, more often and for longer than any of the waits takes. */
static int send_continues(void)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	for (int i = 0; i < 400; i++) {
		kill(getppid(), SIGCONT);
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int wait_ms(int ms)
{
	static int epoll;
	struct epoll_event event;

	if (epoll == 0)
		epoll = epoll_create1(0);
	return epoll_wait(epoll, &event, 1, ms);
}

/* As event loops do it: what is left of the time, if the wait was broken off. */
static int continued_waits(void)
{
	const int64_t length_ns = 300 * 1000 * 1000;
	pid_t child = child_of(send_continues);
	int early = 0;

	for (int i = 0; i < 3; i++) {
		int64_t end = (int64_t)target_now_ns() + length_ns, left = length_ns;

		while (left > 0 && wait_ms((int)((left + 999999) / 1000000)) < 0 && errno == EINTR)
			left = end - (int64_t)target_now_ns();
		early += (int64_t)target_now_ns() < end;
	}
	kill(child, SIGKILL);
	target_print("%d early, and then the child: %s", early, status_text(reap(child)));
	return 0;
}

const struct behaviour interruption_behaviours[] = {
	{"eintr-of-sigsuspend", eintr_of_sigsuspend},
	{"eintr-of-ppoll", eintr_of_ppoll},
	{"eintr-of-pselect", eintr_of_pselect},
	{"eintr-of-epoll-pwait", eintr_of_epoll_pwait},
	{"restarted-read", restarted_read},
	{"sigwaitinfo-values", sigwaitinfo_values},
	{"sigtimedwait-values", sigtimedwait_values},
	{"signalfd-values", signalfd_values},
	{"continued-waits", continued_waits},
	{NULL, NULL},
};
