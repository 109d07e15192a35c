/*
 * Does everything at once, at random, until stdin closes: threads come and go, processes fork,
 * execute this program again and end, signals with numbers in them are queued and counted, children
 * are stopped and continued, some threads sleep. Every step has a known result: a sum, a count, an
 * exit code, a time that must have passed. Prints "right" and how much it has done, or what was
 * wrong.
 *
 *     torture SEED
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { WORKERS = 4, ACTIONS = 7 };

static atomic_ulong done[ACTIONS];
static atomic_ulong queued, handled, queued_sum, handled_sum;
static atomic_ulong broken_off;
static atomic_bool over;

struct random {
	uint64_t state;
};

static unsigned draw(struct random *random, unsigned below)
{
	random->state = random->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random->state >> 33) % below;
}

static _Noreturn void wrong(const char *what, long value)
{
	char text[200];
	int length =
		snprintf(text, sizeof(text), "wrong: %s: %ld (%s)\n", what, value, strerror(errno));

	if (write(STDOUT_FILENO, text, (size_t)length) < 0)
		_exit(96);
	_exit(95);
}

/* Arithmetic with a known end: a generator of full period goes round its 2^16 values. */
static MEASURED void compute(struct random *random)
{
	unsigned rounds = 1 + draw(random, 8);
	uint32_t value = 7, sum = 0;

	for (unsigned i = 0; i < rounds * 65536; i++) {
		value = (value * 25173 + 13849) & 0xffff;
		sum += value;
	}
	if (value != 7 || sum != rounds * 0x7fff8000u)
		wrong("arithmetic", (long)sum);
}

static void *add(void *data)
{
	atomic_fetch_add((atomic_ulong *)data, 1);
	return NULL;
}

static MEASURED void make_threads(struct random *random)
{
	unsigned count = 1 + draw(random, 8);
	pthread_t threads[8];
	atomic_ulong sum = 0;

	for (unsigned i = 0; i < count; i++) {
		if ((errno = pthread_create(&threads[i], NULL, add, &sum)) != 0)
			wrong("pthread_create", i);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	if (atomic_load(&sum) != count)
		wrong("sum of threads", (long)atomic_load(&sum));
}

static int reap(pid_t child, int options)
{
	int status;
	pid_t result;

	do {
		result = waitpid(child, &status, options);
	} while (result < 0 && errno == EINTR);
	if (result != child)
		wrong("waitpid", result);
	return status;
}

static MEASURED void make_process(struct random *random)
{
	int code = (int)draw(random, 200);
	unsigned kind = draw(random, 3);
	pid_t child = fork();
	char text[8];

	if (child < 0)
		wrong("fork", kind);
	if (child == 0) {
		if (kind == 0)
			_exit(code);
		snprintf(text, sizeof(text), "%d", code);
		execl("/proc/self/exe", "torture", "--exit", text, (char *)NULL);
		_exit(94);
	}
	if (reap(child, 0) != code << 8)
		wrong("exit code", code);
}

/* A child that counts; stopped, it must not, and continued it must. */
static MEASURED void stop_process(struct random *random)
{
	atomic_ulong *steps =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long before;
	pid_t child = fork();

	if (child < 0 || steps == MAP_FAILED)
		wrong("fork", child);
	if (child == 0) {
		for (;;)
			atomic_fetch_add(steps, 1);
	}
	for (unsigned i = 1 + draw(random, 3); i > 0; i--) {
		kill(child, SIGSTOP);
		if (!WIFSTOPPED(reap(child, WUNTRACED)))
			wrong("a stop", child);
		before = atomic_load(steps);
		compute(random);
		if (atomic_load(steps) != before)
			wrong("steps of a stopped process", (long)(atomic_load(steps) - before));
		kill(child, SIGCONT);
		if (!WIFCONTINUED(reap(child, WCONTINUED)))
			wrong("a continuation", child);
		while (atomic_load(steps) == before)
			sched_yield();
	}
	kill(child, SIGKILL);
	if (reap(child, 0) != SIGKILL)
		wrong("death by SIGKILL", child);
	munmap(steps, 4096);
}

static void note(int number, siginfo_t *info, void *context)
{
	if (info->si_code != SI_QUEUE || info->si_pid != getpid() || number != SIGRTMIN + 1)
		wrong("the siginfo", info->si_code);
	atomic_fetch_add(&handled, 1);
	atomic_fetch_add(&handled_sum, (unsigned long)info->si_value.sival_int);
}

static MEASURED void send_signals(struct random *random)
{
	for (unsigned i = 1 + draw(random, 10); i > 0; i--) {
		int value = (int)draw(random, 1000);

		if (sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = value}) < 0)
			wrong("sigqueue", value);
		atomic_fetch_add(&queued, 1);
		atomic_fetch_add(&queued_sum, (unsigned long)value);
	}
}

static MEASURED void rest(struct random *random)
{
	const struct timespec length = {.tv_nsec = 1 + (long)draw(random, 4000000)};
	uint64_t begin = target_now_ns();

	/* Interrupted by the signals that this program queues, and by nothing else. */
	if (nanosleep(&length, NULL) < 0 && errno != EINTR)
		wrong("nanosleep", errno);
	else if (target_now_ns() < begin)
		wrong("the clock", 0);
}

/* With all signals blocked, nothing breaks a wait off, but a tracer that dies between stop and
 * repair. */
static MEASURED void wait_in_peace(struct random *random)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	sigset_t all;

	sigfillset(&all);
	if (epoll_pwait(epoll, &event, 1, (int)draw(random, 5), &all) != 0) {
		if (errno != EINTR)
			wrong("epoll_pwait", errno);
		atomic_fetch_add(&broken_off, 1);
	}
	close(epoll);
}

static void (*const actions[ACTIONS])(struct random *random) = {
	compute,
	make_threads,
	make_process,
	stop_process,
	send_signals,
	rest,
	wait_in_peace,
};

static MEASURED void *work(void *data)
{
	struct random random = {.state = (uint64_t)(uintptr_t)data};

	while (!atomic_load(&over)) {
		unsigned action = draw(&random, ACTIONS);

		actions[action](&random);
		atomic_fetch_add(&done[action], 1);
	}
	return NULL;
}

static void check_signals(void)
{
	while (atomic_load(&handled) < atomic_load(&queued))
		sched_yield();
	if (atomic_load(&handled) != atomic_load(&queued) ||
		atomic_load(&handled_sum) != atomic_load(&queued_sum))
		wrong("sum of signals", (long)atomic_load(&handled_sum));
	if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)
		wrong("a child is left", 1);
}

int main(int argc, char *argv[])
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
	pthread_t workers[WORKERS];
	uint64_t seed;

	if (argc == 3 && strcmp(argv[1], "--exit") == 0)
		return atoi(argv[2]);
	target_init(&argc, argv);
	seed = (uint64_t)target_number(argc, argv, 1, 1);
	sigaction(SIGRTMIN + 1, &action, NULL);
	for (uintptr_t i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)(seed * 1000 + i));
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	atomic_store(&over, true);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	check_signals();
	target_print("right %lu %lu %lu %lu %lu %lu %lu %lu", broken_off, done[0], done[1], done[2],
		done[3], done[4], done[5], done[6]);
	return 0;
}
