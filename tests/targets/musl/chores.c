/*
 * What a C library is used for, from two threads that work and some that sleep, each kind in a
 *function of its own. It says "ready" and its pid when all of them are there, and ends when stdin
 *does.
 *
 *	chores [idle]
 *
 * With "idle" nobody works: the first thread waits for stdin too.
 */
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum {
	NUMBERS = 1000,
	LINES = 1500,
	BLOCKS = 200,
	STEPS = 12000,
	LARGE = 100000,
	COPIES = 200,
	LONG_S = 1000
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int pipe_ends[2];

/* A frame of its own for each: what they return is used behind the call. */
static volatile long sink;

/* Some work, so that a comparison is seen. */
static inline unsigned mix(unsigned value)
{
	for (int i = 0; i < 20; i++)
		value = value * 1664525 + 1013904223;
	return value;
}

static MEASURED int compare(const void *one, const void *other)
{
	unsigned left = mix(*(const unsigned *)one), right = mix(*(const unsigned *)other);

	return (left > right) - (left < right);
}

static MEASURED long sort_numbers(unsigned seed)
{
	unsigned numbers[NUMBERS];

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = seed = seed * 1103515245 + 12345;
	qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	return numbers[0];
}

static MEASURED long print_lines(unsigned seed)
{
	char line[200];
	long length = 0;

	for (int i = 0; i < LINES; i++)
		length += snprintf(line, sizeof(line), "%d %s %f", i, "words", i * 1.5 + seed);
	return length;
}

static MEASURED long allocate(unsigned seed)
{
	char *blocks[BLOCKS];
	long sum = 0;

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(i * 37U + seed % 64 + 1);
		if (blocks[i])
			blocks[i][0] = (char)i;
	}
	for (int i = 0; i < BLOCKS; i++) {
		sum += blocks[i] ? blocks[i][0] : 0;
		free(blocks[i]);
	}
	return sum;
}

static MEASURED long calculate(unsigned seed)
{
	double sum = seed % 1000;

	for (int i = 0; i < STEPS; i++)
		sum += sin(i + sum * 1e-9) * exp(i * 0.001) + pow(i, 0.3);
	return (long)sum;
}

static MEASURED long copy_memory(unsigned seed)
{
	static char from[2][LARGE], to[2][LARGE];
	unsigned who = seed & 1;

	for (int i = 0; i < COPIES; i++) {
		memset(from[who], i, LARGE);
		memcpy(to[who], from[who], LARGE);
	}
	return to[who][LARGE / 2];
}

static MEASURED long work(unsigned seed)
{
	long sum = sort_numbers(seed);

	sum += print_lines(seed);
	sum += allocate(seed);
	sum += calculate(seed);
	sum += copy_memory(seed);
	return sum;
}

static MEASURED void *busy_thread(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (unsigned i = 1;; i += 2)
		sink += work(i);
	return unused;
}

static MEASURED long wait_nap(void)
{
	struct timespec length = {.tv_sec = LONG_S};

	return nanosleep(&length, NULL) + 1;
}

static MEASURED long wait_poll(void)
{
	struct pollfd in = {.fd = pipe_ends[0], .events = POLLIN};

	return poll(&in, 1, LONG_S * 1000) + 1;
}

static MEASURED long wait_condition(void)
{
	pthread_mutex_lock(&lock);
	while (!pthread_cond_wait(&never, &lock))
		sink++;
	return pthread_mutex_unlock(&lock) + 1;
}

static MEASURED long wait_lock(void)
{
	return pthread_mutex_lock(&taken) + 1;
}

static MEASURED long wait_read(void)
{
	char byte;

	return read(pipe_ends[0], &byte, 1) + 1;
}

static MEASURED void *sleeping_thread(void *argument)
{
	long (**wait)(void) = argument;

	pthread_barrier_wait(&barrier);
	for (;;)
		sink += (*wait)();
	return NULL;
}

static void start(void *(*body)(void *), void *argument, const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, argument) || pthread_setname_np(thread, name))
		target_fail("pthread_create");
}

static const struct {
	const char *name;
	long (*wait)(void);
} sleepers[] = {{"nap", wait_nap}, {"poll", wait_poll}, {"condition", wait_condition},
	{"lock", wait_lock}, {"read", wait_read}};

enum { SLEEPERS = sizeof(sleepers) / sizeof(*sleepers) };

static bool has_ended(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) > 0;
}

int main(int argc, char *argv[])
{
	bool is_idle;

	target_init(&argc, argv);
	is_idle = argc > 1 && !strcmp(argv[1], "idle");
	if (pipe(pipe_ends) || pthread_mutex_lock(&taken))
		target_fail("pipe");
	pthread_barrier_init(&barrier, NULL, SLEEPERS + !is_idle + 1);
	for (size_t i = 0; i < SLEEPERS; i++)
		start(sleeping_thread, (void *)&sleepers[i].wait, sleepers[i].name);
	if (!is_idle)
		start(busy_thread, NULL, "busy");
	pthread_barrier_wait(&barrier);
	target_ready("%d", (int)getpid());
	if (is_idle)
		target_wait_for_end();
	for (unsigned i = 0; !is_idle && !has_ended(); i += 2)
		sink += work(i);
	return 0;
}
