/*
 * The demo: five threads that each spend their time in a way of their own, for about three
 * seconds, so that one report shows all of user, sys, waiting for a lock and waiting for a timer.
 *
 * A grower computes; two pickers fight over one basket (a mutex held while they count); a carter
 * writes records; a gardener mostly sleeps. Functions are noinline so that the names stay.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct orchard {
	pthread_mutex_t basket;
	uint64_t apples;
	double end; /* in seconds of CLOCK_MONOTONIC */
	int ledger;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static NOINLINE void rest(long ms)
{
	struct timespec pause = {.tv_nsec = ms * 1000 * 1000};

	nanosleep(&pause, NULL);
}

static NOINLINE uint64_t grow_leaf(uint64_t seed)
{
	for (int i = 0; i < 2000; i++)
		seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)i;
	return seed;
}

static NOINLINE uint64_t grow_branch(uint64_t seed, int depth)
{
	if (depth == 0)
		return grow_leaf(seed);
	return grow_branch(seed + 1, depth - 1) ^ grow_branch(seed * 3, depth - 1);
}

static void *grower(void *data)
{
	struct orchard *orchard = data;
	volatile uint64_t fruit = 1;

	while (now() < orchard->end)
		fruit = grow_branch(fruit, 6);
	return NULL;
}

static NOINLINE void count_apples(struct orchard *orchard)
{
	pthread_mutex_lock(&orchard->basket);
	for (int i = 0; i < 20; i++)
		orchard->apples += 1 + (grow_leaf(orchard->apples) & 1);
	rest(3);
	pthread_mutex_unlock(&orchard->basket);
}

static void *picker(void *data)
{
	struct orchard *orchard = data;

	while (now() < orchard->end)
		count_apples(orchard);
	return NULL;
}

static NOINLINE void write_record(const struct orchard *orchard)
{
	char record[4096];

	memset(record, 'a', sizeof(record));
	for (int i = 0; i < 512; i++) {
		if (pwrite(orchard->ledger, record, sizeof(record), i * (off_t)sizeof(record)) < 0)
			return;
	}
}

static void *carter(void *data)
{
	const struct orchard *orchard = data;

	while (now() < orchard->end) {
		write_record(orchard);
		rest(1);
	}
	return NULL;
}

static void *gardener(void *data)
{
	const struct orchard *orchard = data;

	while (now() < orchard->end)
		rest(50);
	return NULL;
}

static int open_ledger(void)
{
	char path[] = "/tmp/orchard.XXXXXX";
	int fd = mkstemp(path);

	if (fd >= 0)
		unlink(path);
	return fd;
}

int main(void)
{
	static const struct {
		const char *name;
		void *(*work)(void *);
	} jobs[] = {
		{"grower", grower},
		{"picker-1", picker},
		{"picker-2", picker},
		{"carter", carter},
		{"gardener", gardener},
	};
	enum { JOBS = sizeof(jobs) / sizeof(jobs[0]) };
	struct orchard orchard = {.end = now() + 3, .ledger = open_ledger()};
	pthread_t threads[JOBS];

	if (orchard.ledger < 0 || pthread_mutex_init(&orchard.basket, NULL))
		return 1;
	for (int i = 0; i < JOBS; i++) {
		if (pthread_create(&threads[i], NULL, jobs[i].work, &orchard))
			return 1;
		pthread_setname_np(threads[i], jobs[i].name);
	}
	for (int i = 0; i < JOBS; i++)
		pthread_join(threads[i], NULL);
	printf("%llu apples\n", (unsigned long long)orchard.apples);
	return 0;
}
