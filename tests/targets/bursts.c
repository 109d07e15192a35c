/*
 * A pool whose threads sleep for long and work in bursts: `bursts THREADS WORK_US SLEEP_MS [BUSY]`. Each burst is in
 * one of two functions, in turns, for so much of the thread's own CPU time. BUSY more threads compute all the
 * time. When stdin closes, one line of
 * JSON says how much CPU time the threads have used in each, in ns, since they were ready.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

static uint64_t work_ns, sleep_ns;
static atomic_ullong used_ns[2];
static atomic_bool finished;

static uint64_t own_cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/*
 * The clock is asked seldom, so that most of the time is the function's own: where the interrupt of a stop comes
 * late, a loop of some microseconds would be stopped in its system call only.
 */
static inline __attribute__((always_inline)) void burn(uint64_t end_ns)
{
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
	} while (own_cpu_ns() < end_ns);
}

static MEASURED void burst_one(uint64_t end_ns)
{
	burn(end_ns);
}

static MEASURED void burst_two(uint64_t end_ns)
{
	burn(end_ns);
}

static void sleep_for(uint64_t ns)
{
	const struct timespec length = {
		.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}

/* 0 to 1. */
static double chance(unsigned *seed)
{
	return (double)rand_r(seed) / RAND_MAX;
}

static MEASURED void *work(void *data)
{
	unsigned number = (unsigned)(uintptr_t)data, seed = number * 7919 + 1;

	/* The threads don't keep step, from the beginning on. */
	sleep_for((uint64_t)((double)sleep_ns * chance(&seed)));
	for (unsigned turn = number; !atomic_load(&finished); turn++) {
		uint64_t begin = own_cpu_ns();

		if (turn % 2)
			burst_one(begin + work_ns);
		else
			burst_two(begin + work_ns);
		atomic_fetch_add(&used_ns[turn % 2], own_cpu_ns() - begin);
		sleep_for((uint64_t)((double)sleep_ns * (0.5 + chance(&seed))));
	}
	return NULL;
}

static MEASURED void *spin(void *unused)
{
	while (!atomic_load(&finished)) {
		for (volatile int i = 0; i < 100000; i++)
			;
	}
	return unused;
}

static void start(const pthread_attr_t *attributes, void *(*run)(void *), long count)
{
	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, attributes, run, (void *)(uintptr_t)i))
			target_fail("pthread_create");
	}
}

int main(int argc, char *argv[])
{
	pthread_attr_t small;
	long threads;

	target_init(&argc, argv);
	threads = target_number(argc, argv, 1, 64);
	work_ns = (uint64_t)target_number(argc, argv, 2, 5000) * 1000;
	sleep_ns = (uint64_t)target_number(argc, argv, 3, 1000) * 1000000;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	start(&small, work, threads);
	start(&small, spin, target_number(argc, argv, 4, 0));
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	atomic_store(&finished, true);
	target_print("{\"one\": %llu, \"two\": %llu}", atomic_load(&used_ns[1]),
		atomic_load(&used_ns[0]));
	_exit(0); /* the threads sleep on */
}
